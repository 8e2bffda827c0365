import type { Metric, ScorerFunction } from "../../contracts/metric.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { describeKind } from "../../support/json.ts";
import { scorerMetric } from "./scorer-metric.ts";

/** Live metrics from what a suite gives as metrics: metrics as they are, scorer functions adapted. Types are unique in the list. */
export class MetricResolver {
  readonly #suiteName: string;
  readonly #scorers = new Map<ScorerFunction, Metric>();

  constructor(suiteName: string) {
    this.#suiteName = suiteName;
  }

  resolve(given: unknown, place: string): readonly Metric[] {
    if (!Array.isArray(given))
      throw invalid(`${place} must be an array, not ${describeKind(given)}`);
    const metrics = given.map((metric: unknown, index) =>
      this.#resolveOne(metric, `${place}[${index}]`),
    );
    const twice = repeated(metrics.map(({ type }) => type));
    if (twice.length > 0)
      throw invalid(
        `${place} has more than one metric of type ${twice.map((type) => `"${type}"`).join(", ")}`,
      );
    return metrics;
  }

  #resolveOne(given: unknown, place: string): Metric {
    if (typeof given === "function") return this.#adapt(given as ScorerFunction, place);
    const missing = missingMember(given);
    if (missing === null) return given as Metric;
    throw invalid(
      `${place} is no metric: ${missing}`,
      "Give a metric such as exactMatch({...}), defineMetric({...}), or a scorer function.",
    );
  }

  #adapt(scorer: ScorerFunction, place: string): Metric {
    const metric = this.#scorers.get(scorer) ?? scorerMetric(scorer, place, this.#suiteName);
    this.#scorers.set(scorer, metric);
    return metric;
  }
}

function missingMember(given: unknown): string | null {
  if (typeof given !== "object" || given === null) return `it is ${describeKind(given)}`;
  const metric = given as Partial<Record<keyof Metric, unknown>>;
  if (typeof metric.type !== "string" || metric.type === "") return "it has no `type`";
  if (typeof metric.compute !== "function") return `"${metric.type}" has no function \`compute\``;
  if (!Array.isArray(metric.outputs) || metric.outputs.length === 0)
    return `"${metric.type}" declares no \`outputs\``;
  if (!Array.isArray(metric.needs)) return `"${metric.type}" has no \`needs\``;
  if (typeof metric.config !== "object" || metric.config === null)
    return `"${metric.type}" has no \`config\``;
  return null;
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].sort();
}

function invalid(message: string, remedy?: string): AssayError {
  return new AssayError("ASSAY_SUITE_INVALID", message, remedy === undefined ? {} : { remedy });
}
