import { z } from "zod";

import { AssayError } from "../../errors/assay-error.ts";
import { describeKind } from "../../support/json.ts";
import { metricContext } from "../../templates/metric-context.ts";
import { compileTemplate } from "../../templates/template.ts";
import { defineMetric, type MetricFactory, type StrictSchema } from "../define/define-metric.ts";
import { checkedBy, checkTemplates, needsOf } from "../define/text-pair.ts";
import { checkNumbers, numberOperations } from "./compute.ts";
import { type Grammar, grammars, lastNumber } from "./grammar.ts";

const settings = {
  /** What must hold: left <operation> right. */
  operation: z.enum(numberOperations).describe("What must hold: left <operation> right."),
  /** Template of the left number; of text, the last number counts. */
  leftTemplate: z
    .string()
    .describe("Template of the left number; of text, the last number counts."),
  /** Template of the right number. */
  rightTemplate: z.string().describe("Template of the right number."),
  /** Largest difference that passes; for `absolute difference` only. */
  epsilon: z
    .number()
    .nonnegative()
    .optional()
    .describe("Largest difference that passes; for `absolute difference` only."),
  /** How numbers are written: `extended` knows 1,234.5, 1e5, 50% and the Unicode minus. */
  grammar: z
    .enum(grammars)
    .default("observed")
    .describe("How numbers are written: `extended` knows 1,234.5, 1e5, 50% and the Unicode minus."),
  /** What a side without a number gives. */
  unparsed: z
    .enum(["unscored", "zero"])
    .default("unscored")
    .describe("What a side without a number gives."),
};

const config = z
  .strictObject(settings)
  .refine(
    ({ operation, epsilon }) => operation !== "absolute difference" || epsilon !== undefined,
    {
      message: "is required for `absolute difference`",
      path: ["epsilon"],
    },
  )
  .refine(({ operation, epsilon = 0 }) => operation === "absolute difference" || epsilon === 0, {
    message: "is for `absolute difference` only",
    path: ["epsilon"],
  });

/**
 * Whether two numbers stand in a relation. Numbers are read from text: the last one counts. A template that gives a
 * number itself is taken as it is.
 *
 * Output `number-check`: 1 when it holds, else 0; higher is better. A side without a number, or whose last one has two
 * decimal points, gives no score (or 0, see `unparsed`). Deterministic, calls no model. A trial that did not end well
 * and lacks what a template reads gives 0.
 */
export const numberCheck: MetricFactory<StrictSchema<typeof settings>> = defineMetric({
  type: "number-check",
  description:
    "1 when the left number stands in the given relation to the right one, else 0; higher is better.",
  config,
  outputs: [{ name: "number-check", kind: "continuous", description: "1 when it holds, else 0." }],
  prepare: ({ leftTemplate, rightTemplate, epsilon = 0, ...settings }) => ({
    ...settings,
    epsilon,
    left: compileTemplate(leftTemplate, { name: "number-check.left_template" }),
    right: compileTemplate(rightTemplate, { name: "number-check.right_template" }),
  }),
  checkTask: (task, { left, right, grammar }) =>
    checkTemplates(
      task,
      checkedBy(left, (context) => numberOf("left_template", left.render(context), grammar)),
      checkedBy(right, (context) => numberOf("right_template", right.render(context), grammar)),
    ),
  needs: ({ left, right }) => needsOf(left, right),
  compute: (input, check) => {
    const left = numberOf("left_template", check.left.render(metricContext(input)), check.grammar);
    const right = numberOf(
      "right_template",
      check.right.render(metricContext(input)),
      check.grammar,
    );
    if (!Number.isNaN(left) && !Number.isNaN(right))
      return { outputs: { "number-check": checkNumbers(check, left, right) ? 1 : 0 } };
    const side = Number.isNaN(left) ? "left" : "right";
    return {
      outputs: { "number-check": check.unparsed === "zero" ? 0 : Number.NaN },
      diagnostics: [{ severity: "warning", message: `the ${side} side holds no number` }],
    };
  },
});

function numberOf(field: string, value: unknown, grammar: Grammar): number {
  if (typeof value === "number") return value;
  if (typeof value === "string") return lastNumber(value, grammar);
  throw new AssayError(
    "ASSAY_TEMPLATE_INVALID",
    `number-check.${field}: gives ${describeKind(value)}, but text or a number is needed`,
  );
}
