import { describe, expect, it } from "vitest";

import { metricContext } from "../../packages/assay/src/templates/metric-context.ts";
import { metricInput } from "../support/metric-trial.ts";

describe("metricContext", () => {
  it("has the item's keys, the sample's keys, and both whole", () => {
    const input = metricInput({
      taskId: "sum",
      inputs: { instruction: "Add." },
      reference: { answer: "5" },
      outputText: "five",
      response: { a: 1 },
      metadata: { agent_ok: true },
    });

    const item = {
      task: { id: "sum", intent: "does what is asked", metadata: {} },
      inputs: { instruction: "Add." },
      reference: { answer: "5" },
      trial: {
        id: "sum:test",
        task_id: "sum",
        status: "completed",
        error: null,
        metadata: { agent_ok: true },
      },
    };
    const sample = { agent_ok: true, output_text: "five", response: { a: 1 } };
    expect(metricContext(input)).toStrictEqual({ ...item, ...sample, item, sample });
  });

  it("lets the sample win over the item, and nothing over item and sample", () => {
    const context = metricContext(
      metricInput({ metadata: { inputs: "of the sample", item: 1, sample: 2 } }),
    );

    expect(context["inputs"]).toBe("of the sample");
    expect(context["item"]).toMatchObject({ inputs: {} });
    expect(context["sample"]).toMatchObject({ item: 1 });
  });

  it("has no output_text and no response where the trial has none", () => {
    const { sample } = metricContext(metricInput({ metadata: { reward: 1 } }));

    expect(sample).toStrictEqual({ reward: 1 });
  });

  it("is made once for the templates of a metric, and anew for another input", () => {
    const input = metricInput();

    expect(metricContext(input)).toBe(metricContext(input));
    expect(metricContext(metricInput())).not.toBe(metricContext(input));
  });
});
