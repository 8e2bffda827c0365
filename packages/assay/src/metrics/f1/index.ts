import { defineMetric, type MetricFactory, type StrictSchema } from "../define/define-metric.ts";
import {
  checkTemplates,
  needsOf,
  textPair,
  textPairSchema,
  type textPairSettings,
} from "../define/text-pair.ts";
import { f1Score } from "./compute.ts";

/**
 * Overlap of the words of the answer with those of the reference: 2PR / (P + R) over the multiset of normalised tokens
 * (Rajpurkar et al., SQuAD, 2016).
 *
 * Output `f1`: 0 to 1, higher is better. Both empty gives 1, one empty 0. Deterministic, calls no model. A trial that
 * did not end well and has no output text gives 0.
 */
export const f1: MetricFactory<StrictSchema<typeof textPairSettings>> = defineMetric({
  type: "f1",
  description: "F1 of the words shared by answer and reference, 0 to 1; higher is better.",
  config: textPairSchema,
  outputs: [{ name: "f1", kind: "continuous", description: "Token F1, 0 to 1." }],
  prepare: (config) => textPair("f1", config),
  checkTask: (task, { reference, candidate }) => checkTemplates(task, reference, candidate),
  needs: ({ reference, candidate }) => needsOf(reference, candidate),
  compute: (input, { reference, candidate }) => ({
    outputs: { f1: f1Score(reference.read(input), candidate.read(input)) },
  }),
});
