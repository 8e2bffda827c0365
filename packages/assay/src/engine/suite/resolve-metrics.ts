import type { Metric } from "../../contracts/metric.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { asMetric } from "../../metrics/define/as-metric.ts";
import { describeKind } from "../../support/json.ts";
import { atPlace } from "./source-place.ts";

/** Live metrics from what a suite gives as metrics: metrics as they are, scorer functions wrapped. Types are unique in a list. */
export class MetricResolver {
  /** A scorer that stands in several lists is one metric. */
  readonly #wrapped = new Map<unknown, Metric>();

  resolve(given: unknown, place: string): readonly Metric[] {
    if (!Array.isArray(given)) {
      throw invalid(`${place} must be an array, not ${describeKind(given)}`);
    }
    const metrics = given.map((metric: unknown, index) =>
      this.#resolve(metric, `${place}[${index}]`),
    );
    const twice = repeated(metrics.map(({ type }) => type));
    if (twice.length > 0) {
      const types = twice.map((type) => `"${type}"`).join(", ");
      throw invalid(`${place} has more than one metric of type ${types}`);
    }
    return metrics;
  }

  #resolve(given: unknown, place: string): Metric {
    const known = this.#wrapped.get(given);
    if (known !== undefined) return known;
    try {
      const metric = asMetric(given, place);
      if (typeof given === "function") this.#wrapped.set(given, metric);
      return metric;
    } catch (problem) {
      throw AssayError.isInstance(problem) ? atPlace(problem, place) : problem;
    }
  }
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].sort();
}

function invalid(message: string): AssayError {
  return new AssayError("ASSAY_SUITE_INVALID", message);
}
