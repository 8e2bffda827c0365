import { expect, it } from "vitest";

import { completed, places, runner, runTarget, storedDocument, tasks } from "./run-kit.ts";

it("says that a sum of usage is not known when a number cannot hold it", async () => {
  const target = runner(async function* (plan) {
    for (const { taskId, trialIndex } of places(plan)) {
      const trial = completed(taskId, trialIndex);
      const promptTokens = Number.MAX_SAFE_INTEGER;
      const measurements = {
        ...trial.measurements,
        promptTokens,
        completionTokens: 1,
        costUsd: 1.7e308,
      };
      yield { ...trial, measurements };
    }
  });
  const { result, workDir } = await runTarget(target, { tasks: tasks(2) });
  expect(result.status).toBe("completed");
  const beyond = { unknown: "the sum is beyond what a number can hold" };
  expect(storedDocument(workDir, "provenance.json")).toMatchObject({
    predicate: {
      usage: { attempts: 2, prompt_tokens: beyond, completion_tokens: 2, cost_usd: beyond },
    },
  });
});
