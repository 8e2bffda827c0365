import { describe, expect, it } from "vitest";
import { z } from "zod";

import { runTrials } from "../../../../../test/support/run-trials.ts";
import { aggregateSchema } from "../../schema/summary.ts";
import { trialRecordSchema } from "../../schema/trial.ts";
import { credential, operational, shapes } from "../../support/options.ts";
import { type BatchRunnerDefinition, defineBatchRunner } from "./define-batch-runner.ts";

const options = {
  agent: shapes(z.string().default("oracle")),
  jobsDir: operational(z.string().default("jobs"), "a place"),
  apiKey: credential(z.string().nullable().default(null)),
};

function factory(extra: Partial<BatchRunnerDefinition<typeof options>> = {}) {
  return defineBatchRunner<typeof options>({
    name: "batch",
    description: "For tests.",
    needs: [],
    options,
    async *runAll({ plan, options: { agent }, tool, addAggregates }) {
      for (const { task, trialIndexes } of plan.tasks) {
        for (const trialIndex of trialIndexes) {
          const record = trialRecordSchema.parse({
            id: `${task.id}:b:${trialIndex}`,
            taskId: task.id,
            status: "completed",
            output: { outputText: `${agent} ${tool.version}` },
          });
          yield { ...record, trialIndex };
        }
      }
      addAggregates([{ ...aggregate, count: plan.trialCount }]);
    },
    ...extra,
  });
}

const aggregate = aggregateSchema.parse({
  name: "runner.batch.trials",
  scoreType: "scalar",
  count: 1,
  nanCount: 0,
  value: 0,
});

const tasks = ["a", "b"].map((id) => ({ id, inputs: {} }));

describe("a runner of batches", () => {
  it("is identified by the options that run", () => {
    const runner = factory()({ agent: "nop" });

    expect(runner.runnerInfo()).toStrictEqual({
      name: "batch",
      kind: "runner",
      version: null,
      config: { agent: "nop", jobs_dir: "jobs", api_key: null },
    });
    expect(runner.effectiveOptions?.().shaping).toMatchObject({ agent: "nop" });
    expect(runner.effectiveOptions?.().shaping).not.toHaveProperty("jobs_dir");
  });

  it("gets the whole plan in one call, with what the probe found, and tells figures of its own", async () => {
    const runner = factory({ probe: async () => ({ version: "1.2", resolved: {} }) })({});
    await runner.probe?.({} as never);

    const trials = await runTrials(runner, tasks, { trialIndexes: [0, 2] });

    expect(trials.map(({ id, output }) => [id, output?.outputText])).toStrictEqual([
      ["a:b:0", "oracle 1.2"],
      ["a:b:2", "oracle 1.2"],
      ["b:b:0", "oracle 1.2"],
      ["b:b:2", "oracle 1.2"],
    ]);
    expect(runner.runAggregateScores?.()).toMatchObject([{ name: aggregate.name, count: 4 }]);
  });

  it("checks a task by what its options say", async () => {
    const runner = factory({
      checkTask({ id }, { agent }) {
        throw new Error(`${agent} cannot do ${id}`);
      },
    })({});

    await expect(runner.checkTask?.({ id: "a" } as never, {} as never)).rejects.toThrow(
      "oracle cannot do a",
    );
  });

  it("records what follows from its options beside them, and shapes results by it", () => {
    const derive = ({ agent }: { readonly agent: string }) => ({ effective_agent: `${agent}!` });
    const runner = factory({ derive })({ agent: "nop" });

    expect(runner.runnerInfo().config).toMatchObject({ agent: "nop", effective_agent: "nop!" });
    expect(runner.effectiveOptions?.()).toMatchObject({
      config: runner.runnerInfo().config,
      shaping: { effective_agent: "nop!" },
    });
  });

  it("checks the number of trials by what its options say", () => {
    const runner = factory({
      checkPlan({ trialsPerTask }, { agent }) {
        throw new Error(`${agent} cannot do ${trialsPerTask}`);
      },
    })({});

    expect(() => runner.checkPlan?.({ trialsPerTask: 3 })).toThrow("oracle cannot do 3");
  });

  it("is refused without a way to run", () => {
    expect(() => factory({ runAll: undefined as never })).toThrow(
      'defineBatchRunner "batch": runAll must be a function',
    );
  });
});
