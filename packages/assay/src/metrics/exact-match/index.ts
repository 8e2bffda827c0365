import { defineMetric, type MetricFactory, type StrictSchema } from "../define/define-metric.ts";
import {
  checkTemplates,
  needsOf,
  textPair,
  textPairSchema,
  type textPairSettings,
} from "../define/text-pair.ts";
import { exactMatchScore } from "./compute.ts";

/**
 * Whether the answer equals the reference, after both are put into lower case and rid of ASCII punctuation, articles
 * and surplus white space.
 *
 * Output `exact-match`: 1 when equal, else 0; higher is better. Two empty texts are equal. Deterministic, calls no
 * model. A trial that did not end well and has no output text gives 0.
 */
export const exactMatch: MetricFactory<StrictSchema<typeof textPairSettings>> = defineMetric({
  type: "exact-match",
  description:
    "1 when the answer equals the reference after normalisation, else 0; higher is better.",
  config: textPairSchema,
  outputs: [{ name: "exact-match", kind: "continuous", description: "1 when equal, else 0." }],
  prepare: (config) => textPair("exact-match", config),
  checkTask: (task, { reference, candidate }) => checkTemplates(task, reference, candidate),
  needs: ({ reference, candidate }) => needsOf(reference, candidate),
  compute: (input, { reference, candidate }) => ({
    outputs: { "exact-match": exactMatchScore(reference.read(input), candidate.read(input)) },
  }),
});
