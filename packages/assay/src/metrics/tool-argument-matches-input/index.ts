import { z } from "zod";

import { defineMetric, type MetricFactory, type StrictSchema } from "../define/define-metric.ts";
import { findTrajectory, traceEvidenceSetting } from "../define/find-trajectory.ts";
import { callsOf } from "../define/tool-calls.ts";
import { whyNoMatch } from "./compute.ts";

const settings = {
  /** Name of the tool; a prefix that ends with - or _ may stand before it. */
  toolName: z
    .string()
    .min(1)
    .describe("Name of the tool; a prefix that ends with - or _ may stand before it."),
  /** Name of the argument. */
  argument: z.string().min(1).default("text").describe("Name of the argument."),
  /** Which input of the task it must be. */
  inputKey: z
    .string()
    .min(1)
    .default("instruction")
    .describe("Which input of the task it must be."),
  /** whitespace: runs of white space are one space, and none at the ends; exact: the very text. */
  normalize: z
    .enum(["whitespace", "exact"])
    .default("whitespace")
    .describe(
      "whitespace: runs of white space are one space, and none at the ends; exact: the very text.",
    ),
  /** Which evidence holds the trajectory. */
  traceEvidence: traceEvidenceSetting,
};

/**
 * Whether the agent handed an input of its task to a tool unchanged: the argument of every call of the tool, by the
 * trajectory, is that input.
 *
 * One boolean output, true is better. At least one call is required. A call without that argument or with one that is no
 * text, a task without that input, and a trajectory that cannot be read (ATIF, else OTLP) are false, with a warning that
 * says why. Deterministic, calls no model.
 */
export const toolArgumentMatchesInput: MetricFactory<StrictSchema<typeof settings>> = defineMetric({
  type: "tool_argument_matches_input",
  description:
    "Whether every call of a tool has an input of the task as its argument; true is better.",
  config: z.strictObject(settings),
  outputs: [{ name: "tool_argument_matches_input", kind: "boolean" }],
  async compute({ candidate, row }, { toolName, traceEvidence, ...rule }, context) {
    const { trajectory, diagnostics } = await findTrajectory(
      candidate.evidence,
      traceEvidence,
      ["atif", "otlp"],
      context,
    );
    const why = whyNoMatch(callsOf(trajectory, toolName), row.inputs, rule);
    return {
      outputs: { tool_argument_matches_input: why === null },
      diagnostics: [
        ...diagnostics,
        ...(why === null || trajectory === null
          ? []
          : [{ severity: "info" as const, message: why }]),
      ],
    };
  },
});
