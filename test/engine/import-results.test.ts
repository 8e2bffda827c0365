import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import type { ImportedResults, Importer } from "../../packages/assay/src/contracts/importer.ts";
import { importResults } from "../../packages/assay/src/engine/import/import-results.ts";
import { nodeEngine } from "../../packages/assay/src/engine/node-engine.ts";
import { aggregateSchema } from "../../packages/assay/src/schema/summary.ts";
import { trialRecordSchema } from "../../packages/assay/src/schema/trial.ts";
import { bench, metric, refusal } from "./run-kit.ts";

const producer = {
  name: "harness",
  kind: "runner",
  version: "0.3",
  config: { agent: "nop" },
} as const;

const loss = { field: "result.json: cost_limit", reason: "no field says it", count: 3 };

/** Results of a harness: two trials of one task, one of another, told out of order, with a log as evidence. */
function importer(given: Partial<ImportedResults> = {}): Importer {
  return {
    format: "harness",
    async open(path) {
      return {
        name: "job-7",
        producer,
        identity: { sha256: "ab" },
        tasks: [
          { id: "a", intent: "it is done", inputs: { instruction: "do it" }, trialCount: 2 },
          { id: "b", intent: "unknown", inputs: {}, trialCount: 1 },
        ],
        metrics: [
          metric("length", ({ candidate }) => ({
            outputs: { score: String(candidate.outputText).length },
          })),
        ],
        evidenceDirs: [path],
        aggregates: ["runner.harness.total", "runner.other.total"].map((name) =>
          aggregateSchema.parse({ name, scoreType: "scalar", count: 3, value: 0.5 }),
        ),
        losses: [loss],
        async *trials() {
          yield trial("b", 0, "four", path);
          yield trial("a", 1, "xx", path);
          yield trial("a", 0, "x", path);
        },
        ...given,
      };
    },
  };
}

function trial(taskId: string, trialIndex: number, outputText: string, path: string) {
  const record = trialRecordSchema.parse({
    id: `${taskId}__${trialIndex}`,
    taskId,
    status: "completed",
    output: { outputText },
    evidence: {
      descriptors: { log: { kind: "logs", ref: join(path, "log.txt"), format: "text" } },
    },
  });
  return { ...record, trialIndex };
}

async function importing(
  { evaluator, root, workDir, ...here }: ReturnType<typeof bench>,
  made = importer(),
) {
  writeFileSync(join(root, "log.txt"), "what happened\n");
  const platform = await nodeEngine({ env: {}, cwd: root, scratchParent: here.scratchParent });
  return await importResults({
    format: "harness",
    path: root,
    options: { workDir, onEvent: here.onEvent },
    importers: { harness: async () => made },
    platform,
  });
}

describe("results of another tool", () => {
  it("become a bundle of imported trials with scores, evidence and figures of the tool", async () => {
    const here = bench();
    const { result } = await importing(here);

    expect(result).toMatchObject({ status: "completed", statusCause: null });
    expect((await result.trials.toArray()).map(({ id }) => id).sort()).toStrictEqual([
      "a__0",
      "a__1",
      "b__0",
    ]);
    expect(
      result.summary.taskMetricValues["a"]?.["length.score"]?.map(({ value }) => value),
    ).toStrictEqual([1, 2]);
    expect(result.summary.scores.scores.map(({ name }) => name)).toContain("runner.harness.total");
    expect(here.events).toContainEqual({
      type: "warning",
      message: 'dropped aggregates outside "runner.harness.": runner.other.total',
    });
    for await (const { evidence } of result.trials) {
      const ref = evidence?.descriptors["log"]?.ref ?? "";
      expect(readFileSync(join(result.workDir, ref), "utf8")).toBe("what happened\n");
    }
    expect(here.leftovers()).toStrictEqual([]);
  });

  it("are told of without a credential that what cannot be read begins with", async () => {
    const here = bench();
    const key = "sk-ant-api03-Zq8vR2mLx7Kc5Tn9Wb3Yd6Hf1Gj4";
    const { open } = importer();
    await importing(here, {
      format: "harness",
      async open(path, context) {
        context.log.warn(`a result is passed over: it begins with ${JSON.stringify(key)}`);
        return await open(path, context);
      },
    });

    expect(JSON.stringify(here.events)).toContain("a result is passed over");
    expect(JSON.stringify(here.events)).not.toContain(key.slice(0, 20));
  });

  it("are named with what made them, where they lay, and what of them had no place", async () => {
    const here = bench();
    const { result, losses } = await importing(here);
    const bundle = await here.evaluator.readBundle(result.workDir);

    expect(losses).toStrictEqual([loss]);
    expect(bundle.metadata.target).toStrictEqual({
      name: "imported",
      kind: "imported",
      version: null,
      config: { source: ".", format: "harness", losses: [loss], sha256: "ab" },
    });
    expect(bundle.lineage).toStrictEqual([
      "its trials were imported from run job-7, which ran harness 0.3; which has no digest",
      "they come from ., sha256:ab",
    ]);
  });

  it("enter the settings digest by their identity alone", async () => {
    const digests: unknown[] = [];
    for (const given of [{}, { losses: [] }, { identity: { sha256: "cd" } }]) {
      const here = bench();
      const { result } = await importing(here, importer(given));
      const plan = readFileSync(join(result.workDir, "plan.json"), "utf8");
      digests.push(JSON.parse(plan).settings_digest);
    }

    expect(digests[0]).toMatch(/sha256:[0-9a-f]{64}$/);
    expect(digests[1]).toBe(digests[0]);
    expect(digests[2]).not.toBe(digests[0]);
  });

  it("are refused when the path or the format does not exist", async () => {
    const { root, workDir } = bench();
    const platform = await nodeEngine({ env: {}, cwd: root });
    const request = {
      options: { workDir },
      importers: { harness: async () => importer() },
      platform,
    };

    expect(
      await refusal(() => importResults({ ...request, format: "harnes", path: "." })),
    ).toMatchObject({
      code: "ASSAY_NAME_UNKNOWN",
      message: 'there is no format "harnes" (did you mean "harness"?); known: harness',
    });
    expect(
      await refusal(() => importResults({ ...request, format: "harness", path: "gone" })),
    ).toMatchObject({
      code: "ASSAY_FILE_UNREADABLE",
      message: 'there is nothing at "gone"',
    });
  });
});
