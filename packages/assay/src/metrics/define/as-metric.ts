import type { Metric, ScorerFunction } from "../../contracts/metric.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { describeKind, isPlainObject, whyNotJson } from "../../support/json.ts";
import { functionMetric } from "./function-metric.ts";

/**
 * What stands in a list of metrics, as a metric: a metric is checked and given back, a scorer function is wrapped.
 * `source` names the place in errors. Throws `ASSAY_CONFIG_INVALID`.
 */
export function asMetric(value: unknown, source = "metrics"): Metric {
  if (typeof value !== "function") {
    const problem = whyNoMetric(value);
    if (problem === null) return value as Metric;
    const remedy = "Use a metric of assay/metrics, defineMetric, or a named scorer function.";
    throw invalid(`${source}: ${problem}`, remedy);
  }
  if (!("fromConfig" in value)) return functionMetric(value as ScorerFunction);
  const type = String(Reflect.get(value, "type"));
  throw invalid(
    `${source}: "${type}" is given as a function`,
    "Call it: it makes the metric from its settings.",
  );
}

function invalid(problem: string, remedy: string): AssayError {
  return new AssayError("ASSAY_CONFIG_INVALID", problem, { remedy });
}

function whyNoMetric(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return `${describeKind(value)} is no metric`;
  const { type, config, outputs, needs, compute } = value as Partial<Record<keyof Metric, unknown>>;
  if (typeof type !== "string" || type === "")
    return "a metric needs a `type`, a string that is not empty";
  const named = (problem: string) => `the metric "${type}" ${problem}`;
  if (typeof compute !== "function") return named("has no `compute` function");
  if (!isPlainObject(config)) return named("has no `config` object");
  const notJson = whyNotJson(config);
  if (notJson !== null) return named(`has a \`config\` that is no JSON data: ${notJson}`);
  if (!Array.isArray(needs)) return named("has no list `needs`");
  if (!Array.isArray(outputs) || outputs.length === 0) return named("declares no outputs");
  const wrong = whyNotDistinct(outputs);
  return wrong === null ? null : named(wrong);
}

function whyNotDistinct(outputs: readonly unknown[]): string | null {
  const names = new Set<unknown>();
  for (const output of outputs) {
    const name = isPlainObject(output) ? output["name"] : undefined;
    if (typeof name !== "string" || name === "") return "declares an output without a name";
    if (names.has(name)) return `declares the output "${name}" twice`;
    names.add(name);
  }
  return null;
}
