import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { AgentEvaluator } from "assay";
import { agentPhaseSuccess, evidencePresence } from "assay/metrics";
import { codexCli } from "assay/runners";
import { describe, expect, it } from "vitest";

import { fakeCodex, isRunning, makeFolder } from "./run-codex.ts";

const secret = "quiet-otter-parade-41";

/** One task for each behaviour, by its name. */
function tasksOf(...behaviours: readonly string[]) {
  return behaviours.map((id) => ({
    id,
    intent: "does as it is told",
    inputs: { instruction: `fake: ${id}` },
  }));
}

function everyFile(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

describe("a run with agents that misbehave", () => {
  it("has a typed outcome for each, and the others are as if alone", async () => {
    const folder = makeFolder();
    const { CODEX_HOME: _home, ...env } = process.env;
    const evaluator = new AgentEvaluator({
      env: { ...env, FAKE_CODEX_KEY: secret },
      cwd: folder,
      scratchParent: join(folder, "scratch"),
    });
    const events: unknown[] = [];

    const result = await evaluator.run({
      tasks: tasksOf(
        "good",
        "exit-3",
        "huge-output",
        "never-ends",
        "leaves-child",
        "leaves-links",
        "final-fifo",
        "garbage-only",
        "refused",
        "prints-secrets",
      ),
      target: codexCli({ codexBin: fakeCodex, timeoutS: 15 }),
      metrics: [agentPhaseSuccess(), evidencePresence()],
      config: {
        workDir: join(folder, "out"),
        concurrency: 4,
        secrets: ["FAKE_CODEX_KEY"],
        onEvent: (event) => events.push(event),
      },
    });
    const trials = await result.trials.toArray();
    const outcomes = trials.map(({ taskId, status, error }) => [taskId, status, error?.type ?? ""]);

    expect(outcomes.sort()).toEqual([
      ["exit-3", "partial", "AgentExitError"],
      ["final-fifo", "partial", "OutputUnreadable"],
      ["garbage-only", "partial", "BlankReply"],
      ["good", "completed", ""],
      ["huge-output", "completed", ""],
      ["leaves-child", "completed", ""],
      ["leaves-links", "completed", ""],
      ["never-ends", "partial", "TimeoutError"],
      ["prints-secrets", "completed", ""],
      ["refused", "failed", "ConnectionError"],
    ]);

    // Nothing that was started is alive, and no scratch is left.
    const evidence = join(folder, "out/evidence");
    const pids = everyFile(evidence).filter((path) => path.endsWith("child.pid"));
    expect(pids).toHaveLength(2);
    expect(pids.filter((path) => isRunning(Number(readFileSync(path, "utf8"))))).toEqual([]);
    expect(readdirSync(join(folder, "scratch"))).toEqual([]);

    // No link that leaves the workspace is in the bundle, nor what lay behind it.
    const passwd = readFileSync("/etc/passwd", "utf8");
    const names = readdirSync(evidence, { recursive: true, encoding: "utf8" });
    expect(names.filter((name) => /\/(passwd|etc)$/.test(name))).toEqual([]);
    expect(everyFile(evidence).filter((path) => readFileSync(path, "utf8") === passwd)).toEqual([]);

    // The secret that the agent printed, wrote and named a file by is in no file, no name and no event.
    const files = everyFile(join(folder, "out"));
    expect(files.filter((path) => path.includes(secret))).toEqual([]);
    expect(files.filter((path) => readFileSync(path, "latin1").includes(secret))).toEqual([]);
    expect(JSON.stringify(events)).not.toContain(secret);
    expect(await result.formatSummary()).not.toContain(secret);
    const said = trials.find(({ taskId }) => taskId === "prints-secrets")?.output?.outputText;
    expect(said).toMatch(/^the keys are \S+$/);
  }, 120_000);
});
