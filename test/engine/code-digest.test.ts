import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentEvaluator, loadSuite } from "assay";
import { describe, expect, it } from "vitest";
import { folder } from "./run-kit.ts";

type Digests = Readonly<Record<string, string>>;

const suite = `
import { answer } from "./agent.ts";
export default ({ word = "five" }) => ({
  name: "s",
  tasks: [{ id: "a", intent: "", inputs: { instruction: "go" }, metrics: [
    { type: "m", version: null, config: {}, needs: [], compute: async () => ({ outputs: { score: 1 } }),
      outputs: [{ name: "score", kind: "continuous", description: null, absent: 0 }] },
  ] }],
  target: { contractVersion: 1,
    runnerInfo: () => ({ name: "own", kind: "runner", version: "1", config: {} }),
    async *runTasks({ tasks }) {
      const [{ task }] = tasks;
      yield { id: "a:own", taskId: task.id, trialIndex: 0, status: "completed",
        output: { outputText: answer(word), response: null, metadata: {} }, evidence: null, error: null, metadata: {} };
    } },
});
`;

/** A folder with a suite, a module of its own and a lockfile; gives the digests of a run. */
function project() {
  const root = folder();
  const write = (file: string, text: string) => writeFileSync(join(root, file), text);
  write("s.eval.ts", suite);
  write("agent.ts", "export const answer = (word: string) => word;");
  write("package-lock.json", "{}");
  let runs = 0;
  const digests = async (parameters: Readonly<Record<string, string>> = {}): Promise<Digests> => {
    runs += 1;
    const workDir = join(root, `run-${runs}`);
    mkdirSync(join(root, "scratch"), { recursive: true });
    const evaluator = new AgentEvaluator({
      env: {},
      cwd: root,
      scratchParent: join(root, "scratch"),
    });
    await evaluator.runSuite(await loadSuite(join(root, "s.eval.ts"), { parameters }), { workDir });
    const text = readFileSync(join(workDir, "provenance.json"), "utf8");
    return (JSON.parse(text) as { predicate: { digests: Digests } }).predicate.digests;
  };
  return { write, digests };
}

function changed(before: Digests, after: Digests): string[] {
  return Object.keys(before)
    .filter((name) => before[name] !== after[name])
    .sort();
}

describe("the digests of a suite's code", () => {
  it("are the same for the same bytes", async () => {
    const { digests } = project();

    expect(await digests()).toStrictEqual(await digests());
  });

  it.each([
    ["a module of its own", "agent.ts", "export const answer = (word: string) => `${word}!`;"],
    ["the lockfile, which stands for its packages", "package-lock.json", '{ "packages": {} }'],
  ])("change with %s, and settings, plan and tasks do not", async (_what, file, text) => {
    const { write, digests } = project();
    const before = await digests();

    write(file, text);

    expect(changed(before, await digests())).toStrictEqual(["code", "resolved"]);
  });

  it("change with a parameter of the suite", async () => {
    const { digests } = project();

    expect(changed(await digests(), await digests({ word: "six" }))).toStrictEqual([
      "code",
      "resolved",
    ]);
  });
});
