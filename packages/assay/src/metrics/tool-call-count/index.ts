import { z } from "zod";

import { defineMetric, type MetricFactory, type StrictSchema } from "../define/define-metric.ts";
import { findTrajectory, traceEvidenceSetting } from "../define/find-trajectory.ts";
import { callsOf } from "../define/tool-calls.ts";

const settings = {
  /** Name of the tool; a prefix that ends with - or _ may stand before it. */
  toolName: z
    .string()
    .min(1)
    .describe("Name of the tool; a prefix that ends with - or _ may stand before it."),
  /** How many calls are right. */
  expectedCalls: z.int().nonnegative().default(1).describe("How many calls are right."),
  /** Which evidence holds the trajectory. */
  traceEvidence: traceEvidenceSetting,
};

/**
 * How often the agent called a tool, by its trajectory: calls whose function has the name `toolName`, or one that ends
 * with `-` or `_` and that name.
 *
 * Outputs: `tool_call_count`, a whole number, and `tool_call_count_matches`, true when it is `expectedCalls`. The
 * trajectory is read as ATIF, else as OTLP; where none can be read the count is 0, with a warning that says why.
 * Deterministic, calls no model.
 */
export const toolCallCount: MetricFactory<StrictSchema<typeof settings>> = defineMetric({
  type: "tool_call_count",
  description:
    "How often a tool was called, and whether that is the expected number; true is better.",
  config: z.strictObject(settings),
  outputs: [
    { name: "tool_call_count", kind: "discrete", description: "Calls of the tool." },
    {
      name: "tool_call_count_matches",
      kind: "boolean",
      description: "True when they are as many as expected.",
    },
  ],
  async compute({ candidate }, { toolName, expectedCalls, traceEvidence }, context) {
    const { trajectory, diagnostics } = await findTrajectory(
      candidate.evidence,
      traceEvidence,
      ["atif", "otlp"],
      context,
    );
    const count = callsOf(trajectory, toolName).length;
    return {
      outputs: { tool_call_count: count, tool_call_count_matches: count === expectedCalls },
      diagnostics,
    };
  },
});
