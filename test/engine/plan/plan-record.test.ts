import { describe, expect, it } from "vitest";
import { fixPlan, type PlanInputs } from "../../../packages/assay/src/engine/plan/plan-record.ts";
import { taskRecordsOf } from "../../../packages/assay/src/engine/plan/task-record.ts";
import { createRedactor } from "../../../packages/assay/src/provenance/redaction/redactor.ts";
import type { JsonObject } from "../../../packages/assay/src/support/json.ts";
import { constant, saysYes } from "../run-kit.ts";

function planOf(count: number) {
  let redactions = 0;
  const redactor = createRedactor({ secrets: [] });
  const shared = [constant(), saysYes()];
  const tasks = Array.from({ length: count }, (_item, index) => ({
    id: `t${index}`,
    intent: "answers",
    inputs: { instruction: "do" },
    reference: {},
    metadata: {},
    views: {},
    metrics: index === 0 ? [constant()] : shared,
  }));
  const inputs = {
    draft: {
      suite: { name: "s", code: null, parameters: {}, labels: {} },
      target: { options: { origins: {}, shaping: {} } },
      tasks,
      plan: { trialsPerTask: 1 },
      selection: null,
    },
    options: {},
    runId: "r",
    info: { name: "n", kind: "runner", version: "1" },
    tool: null,
    records: taskRecordsOf(tasks),
    redactor: {
      ...redactor,
      json: (value: JsonObject) => {
        redactions += 1;
        return redactor.json(value);
      },
    },
    contentDigest: null,
    source: { lockfile: {} },
  } as unknown as PlanInputs;
  const { metricFacts } = fixPlan(inputs);
  return { redactions, users: metricFacts.map(({ type, taskCount }) => [type, taskCount]) };
}

describe("the metrics of a plan", () => {
  it("count each task that uses one, of alike ones together", () => {
    expect(planOf(5).users).toEqual([
      ["constant", 5],
      ["says-yes", 4],
    ]);
  });

  it("are redacted and digested as often for many tasks as for a few", () => {
    expect(planOf(200).redactions).toBe(planOf(3).redactions);
  });
});
