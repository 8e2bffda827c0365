import { z } from "zod";

import { jsonValue } from "../../schema/free-form.ts";
import { metricContext } from "../../templates/metric-context.ts";
import { compileTemplate } from "../../templates/template.ts";
import { defineMetric, type MetricFactory, type StrictSchema } from "../define/define-metric.ts";
import { inputAbsent } from "../define/metric-failure.ts";
import { checkedBy, checkTemplates } from "../define/text-pair.ts";
import { compareCalls, expectedCalls, givenCalls } from "./compute.ts";

const settings = {
  /** The expected calls, [{ function: { name, arguments } }], or a template that gives them. */
  reference: jsonValue().describe(
    "The expected calls, [{ function: { name, arguments } }], or a template that gives them.",
  ),
  /** What arguments that are no JSON give. */
  unparsed: z
    .enum(["unscored", "zero"])
    .default("unscored")
    .describe("What arguments that are no JSON give."),
};

/**
 * Whether the model called the right tools: the calls of the first choice of `response` (a chat completion) against
 * those of the reference, compared as multisets, so that order does not count and repetition does.
 *
 * Outputs, each 0 or 1, higher is better: `function_name_accuracy`, and `function_name_and_args_accuracy`, which also
 * compares the arguments as JSON data. No calls on both sides gives 1 and 1. Arguments that are no JSON give no score
 * for the second output (or 0, see `unparsed`). Deterministic, calls no model, changes nothing it is given. A trial
 * that did not end well and has no response gives 0.
 */
export const toolCalling: MetricFactory<StrictSchema<typeof settings>> = defineMetric({
  type: "tool-calling",
  description:
    "Whether the tool calls of the response are those of the reference, 0 or 1; higher is better.",
  config: z.strictObject(settings),
  outputs: [
    { name: "function_name_accuracy", kind: "continuous", description: "1 when the names agree." },
    {
      name: "function_name_and_args_accuracy",
      kind: "continuous",
      description: "1 when names and arguments agree.",
    },
  ],
  prepare: ({ reference, unparsed }) => ({
    reference: compileTemplate(reference, { name: "tool-calling.reference" }),
    unparsed,
  }),
  checkTask: (task, { reference }) =>
    checkTemplates(
      task,
      checkedBy(reference, (context) => expectedCalls(reference.render(context))),
    ),
  needs: ["response"],
  compute: (input, { reference, unparsed }) => {
    const { response } = input.candidate;
    if (response === null) throw inputAbsent("tool-calling", "the trial has no response");
    const expected = expectedCalls(reference.render(metricContext(input)));
    const { names, namesAndArguments } = compareCalls(expected, givenCalls(response));
    const unread = unparsed === "zero" ? 0 : Number.NaN;
    return {
      outputs: {
        function_name_accuracy: names,
        function_name_and_args_accuracy: namesAndArguments ?? unread,
      },
      diagnostics:
        namesAndArguments === null
          ? [{ severity: "warning", message: "the arguments of a call are no JSON" }]
          : [],
    };
  },
});
