import { z } from "zod";

import { defineMetric, type MetricFactory, type StrictSchema } from "../define/define-metric.ts";
import { checkTemplates, needsOf, textTemplate } from "../define/text-pair.ts";
import { checkStrings, stringOperations } from "./compute.ts";

const settings = {
  /** What must hold: left <operation> right. */
  operation: z.enum(stringOperations).describe("What must hold: left <operation> right."),
  /** Template of the left text. */
  leftTemplate: z.string().describe("Template of the left text."),
  /** Template of the right text. */
  rightTemplate: z.string().describe("Template of the right text."),
};

/**
 * Whether two texts stand in a relation: equal, one contains, starts or ends with the other. Case-sensitive, nothing is
 * normalised.
 *
 * Output `string-check`: 1 when it holds, else 0; higher is better. Empty texts are texts. Deterministic, calls no
 * model. A trial that did not end well and lacks what a template reads gives 0.
 */
export const stringCheck: MetricFactory<StrictSchema<typeof settings>> = defineMetric({
  type: "string-check",
  description:
    "1 when the left text stands in the given relation to the right one, else 0; higher is better.",
  config: z.strictObject(settings),
  outputs: [{ name: "string-check", kind: "continuous", description: "1 when it holds, else 0." }],
  prepare: ({ operation, leftTemplate, rightTemplate }) => ({
    operation,
    left: textTemplate(leftTemplate, "string-check.left_template"),
    right: textTemplate(rightTemplate, "string-check.right_template"),
  }),
  checkTask: (task, { left, right }) => checkTemplates(task, left, right),
  needs: ({ left, right }) => needsOf(left, right),
  compute: (input, { operation, left, right }) => ({
    outputs: {
      "string-check": checkStrings(operation, left.read(input), right.read(input)) ? 1 : 0,
    },
  }),
});
