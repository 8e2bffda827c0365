import type { Metric, MetricContext, MetricInput, MetricResult } from "../../contracts/metric.ts";

type ComputeAtOnce = (
  input: MetricInput,
  context: MetricContext,
) => MetricResult | Promise<MetricResult>;

/** By the function and not by the metric: a copy of a metric with another `compute` is another one. */
const atOnce = new WeakMap<Metric["compute"], ComputeAtOnce>();

/** `compute` of a metric: a promise always, and for `computeAtOnce` only where there is something to wait for. */
export function promising(compute: ComputeAtOnce): Metric["compute"] {
  const promised = async (input: MetricInput, context: MetricContext) =>
    await compute(input, context);
  atOnce.set(promised, compute);
  return promised;
}

/** The result of a metric at once where it can be had so: a promise for each score costs as much as most metrics. May throw. */
export function computeAtOnce(
  { compute }: Metric,
  ...given: readonly [MetricInput, MetricContext]
): MetricResult | Promise<MetricResult> {
  return (atOnce.get(compute) ?? compute)(...given);
}
