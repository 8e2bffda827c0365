export { histogramOf } from "../statistics/histogram.ts";
export {
  comparePairs,
  type PairedComparison,
  type ValuePair,
} from "../statistics/paired-comparison.ts";
export { passAtK, passAtKSteps } from "../statistics/pass-at-k.ts";
export { percentilesOf } from "../statistics/percentiles.ts";
export { figuresOf, sortSample } from "../statistics/sample.ts";
export { scoreByName } from "../statistics/score-lookup.ts";
export { compensatedSum } from "../statistics/sum.ts";
export {
  headlineValue,
  metricValues,
  numericMetricValues,
  taskOutcomes,
} from "../statistics/summary-values.ts";
