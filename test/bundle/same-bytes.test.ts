import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentEvaluator, loadSuite } from "assay";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { BundleReader } from "../../packages/assay/src/bundle/read-bundle.ts";
import { summariseBundle } from "../../packages/assay/src/engine/summarise/summarise-bundle.ts";
import { nodeFileStore } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { hostPath } from "../../packages/assay/src/schema/path-option.ts";
import { summaryDocument } from "../../packages/assay/src/statistics/summary-document.ts";
import { shapes } from "../../packages/assay/src/support/options.ts";
import {
  bench,
  completed,
  constant,
  metric,
  places,
  runner,
  runTarget,
  tasks,
} from "../engine/run-kit.ts";
import { suiteFolder } from "../engine/suite/suite-folder.ts";
import { factoryOf } from "../support/option-runner.ts";
import { reseal } from "../support/reseal.ts";
import { folder } from "./import-kit.ts";

/** Trials of every kind of end, and metrics of every kind of result. */
async function motleyRun() {
  const target = runner(async function* (plan) {
    for (const { taskId, trialIndex } of places(plan)) {
      const error = {
        type: `Error${trialIndex % 2}`,
        message: "x",
        traceback: null,
        occurredAt: null,
      };
      const number = Number(taskId.slice(1)) * 7 + trialIndex;
      const output = { outputText: String(number / 3), response: null, metadata: {} };
      if (trialIndex === 3) yield completed(taskId, 3, { status: "failed", output: null, error });
      else if (trialIndex === 2) yield completed(taskId, 2, { status: "partial", output, error });
      else yield completed(taskId, trialIndex, { id: `${taskId}/odd-${number}`, output });
    }
  });
  return await runTarget(target, {
    tasks: tasks(4, {
      views: {
        both: {
          reducer: "mean",
          signals: [
            { metric: "value", output: "score" },
            { metric: "sometimes", output: "score" },
          ],
        },
      },
    }),
    metrics: [
      metric("value", ({ candidate }) => ({
        outputs: { score: Number(candidate.outputText) / 1e3 },
      })),
      metric("sometimes", ({ row }) => {
        if (row.trial.id.length % 3 === 0) throw new Error("cannot");
        return { outputs: { score: row.trial.id.length % 2 === 0 ? Number.NaN : 0.1 } };
      }),
    ],
    config: { trialsPerTask: 4 },
  });
}

async function summaryOf(dir: string): Promise<string> {
  const reader = await BundleReader.open(dir, nodeFileStore);
  const planned = [];
  for await (const task of reader.tasks()) planned.push(task);
  return [...summaryDocument(await summariseBundle(reader, planned, []))].join("");
}

it("any order of the rows of a bundle gives the summary that it holds, byte for byte", async () => {
  const { workDir } = await motleyRun();
  const onDisk = readFileSync(join(workDir, "summary.json"), "utf8");
  const copy = join(folder(), "copy");
  cpSync(workDir, copy, { recursive: true });
  const names = ["trials.jsonl", "scores.jsonl", "attempts.jsonl"];
  const lines = names.map((name) => readFileSync(join(copy, name), "utf8").trimEnd().split("\n"));

  expect(await summaryOf(copy)).toBe(onDisk);
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(...lines.map((all) => fc.shuffledSubarray(all, { minLength: all.length }))),
      async (shuffled) => {
        for (const [index, name] of names.entries())
          writeFileSync(join(copy, name), `${shuffled[index]?.join("\n") ?? ""}\n`);
        reseal(copy);
        expect(await summaryOf(copy)).toBe(onDisk);
      },
    ),
    { numRuns: 30 },
  );
});

describe("the identity of a target in metadata.json", () => {
  const targetOf = (dir: string) => {
    const text = readFileSync(join(dir, "metadata.json"), "utf8");
    return /^ {2}"target": \{$[\s\S]*?^ {2}\}/m.exec(text)?.[0] ?? "";
  };

  const suite = `
    import { defineSuite } from "assay";
    import { exactMatch } from "assay/metrics";
    import { callable } from "assay/runners";
    export const agent = () => "yes";
    export default defineSuite({
      name: "twice",
      tasks: [{ id: "t", intent: "", inputs: { instruction: "say yes" }, reference: { answer: "yes" } }],
      metrics: [exactMatch({ reference: "{{ reference.answer }}" })],
      target: callable({ name: "agent", agent, timeoutS: 5 }),
    });
  `;

  it("is the same, byte for byte, for one suite in two folders", async () => {
    const targets: string[] = [];
    for (const text of [suite, suite]) {
      const root = suiteFolder({ "twice.eval.mjs": text });
      const evaluator = new AgentEvaluator({ env: {}, cwd: root, scratchParent: join(root, "s") });
      const loaded = await loadSuite(join(root, "twice.eval.mjs"));
      const { workDir } = await evaluator.runSuite(loaded, { workDir: "run" });
      targets.push(targetOf(workDir));
    }

    expect(targets[0]).toContain('"agent_fn"');
    expect(targets[1]).toBe(targets[0]);
  });

  it("is the same when an option is a path below the suite's folder, and another when it is another path", async () => {
    const reader = factoryOf({ prompt: shapes(hostPath()) });
    const run = async (prompt: (root: string) => string) => {
      const here = bench();
      const { workDir } = await here.evaluator.run({
        tasks: tasks(1),
        metrics: [constant()],
        target: reader({ prompt: prompt(here.root) }),
        config: { workDir: here.workDir },
      });
      return targetOf(workDir);
    };

    const first = await run((root) => join(root, "prompts/a.txt"));

    expect(first).toContain("a.txt");
    expect(await run((root) => join(root, "prompts/a.txt"))).toBe(first);
    expect(await run((root) => join(root, "prompts/b.txt"))).not.toBe(first);
  });
});
