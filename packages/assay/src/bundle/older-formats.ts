import { AssayError } from "../errors/assay-error.ts";
import type { RunMetadata } from "../schema/run-metadata.ts";
import type { Summary } from "../schema/summary.ts";
import type { DecodedSummary } from "../statistics/decode-summary.ts";
import { parseForeignJson } from "../support/foreign-json.ts";
import { isPlainObject, setOwn } from "../support/json.ts";

/** What the oldest bundles have in place of `metadata.json`: free tags, and no identity of what was evaluated. */
export const benchmarkFile = "benchmark.json";

/** What a bundle of an older generation of the format, or of a careless writer, does not hold or holds otherwise. */
export const bundleGaps = {
  no_metadata:
    "benchmark.json stands in for metadata.json: it has labels alone, so what was evaluated, when, and by which version is not known",
  no_task_values: "summary.json has no values by task; they are taken from scores.jsonl",
  numeric_task_values:
    "summary.json keeps its values by task as numbers (task_metric_attempts): labels are not among them, and booleans are 1 and 0",
  population_figures:
    "the aggregates have figures of the population alone: no percentiles, no sample variance",
  bare_numbers:
    "NaN or an infinity stands where strict JSON has none; it is read as no finite value",
} as const;

export type BundleGap = keyof typeof bundleGaps;

export function metadataOfBenchmark(wire: unknown): RunMetadata {
  if (!isPlainObject(wire))
    throw new AssayError("ASSAY_BUNDLE_DAMAGED", `${benchmarkFile} is no JSON object`);
  const labels: Record<string, string> = {};
  for (const key of Object.keys(wire)) {
    const value = wire[key];
    if (value !== null)
      setOwn(labels, key, typeof value === "string" ? value : JSON.stringify(value));
  }
  return { labels, target: null, startedAt: "", finishedAt: "", durationSec: 0, sdkVersion: null };
}

/** What the summary of a bundle of another writer lacks. */
export function gapsOfSummary({ summary, valuesForm }: DecodedSummary): readonly BundleGap[] {
  return [
    ...(valuesForm === "none" ? (["no_task_values"] as const) : []),
    ...(valuesForm === "attempts" ? (["numeric_task_values"] as const) : []),
    ...(hasPopulationFiguresAlone(summary) ? (["population_figures"] as const) : []),
  ];
}

function hasPopulationFiguresAlone({ scores: { scores } }: Summary): boolean {
  return scores.some(
    (aggregate) =>
      aggregate.scoreType === "range" && aggregate.mean !== null && aggregate.percentiles === null,
  );
}

/**
 * Reads JSON whose writer put NaN and the infinities there bare: as the text that strict JSON has for them, and as null
 * where only a number or null can stand. Anything else that is wrong with the text is thrown.
 */
export function readBareNumbers<T>(text: string, source: string, decode: (wire: unknown) => T): T {
  try {
    return decode(parseForeignJson(text, source, (word) => word));
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
    return decode(parseForeignJson(text, source, () => null));
  }
}

export function mayHoldBareNumbers(text: string): boolean {
  return text.includes("NaN") || text.includes("Infinity");
}
