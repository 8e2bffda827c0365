import type {
  Metric,
  MetricDiagnostic,
  MetricInput,
  MetricResult,
  ScorerArgs,
  ScorerFunction,
} from "../../contracts/metric.ts";
import { AssayError } from "../../errors/assay-error.ts";
import {
  copyPlain,
  describeKind,
  getOwn,
  isPlainObject,
  type JsonObject,
  whyNotJson,
} from "../../support/json.ts";
import { inputAbsent } from "./metric-failure.ts";

/**
 * A scorer `(args) => { name, score, metadata }` as a metric. Its type and its one output, continuous, are the name of
 * the function. A score of null is unscored; the metadata goes into a diagnostic.
 * Throws `ASSAY_CONFIG_INVALID` for a function without a name, which could not be told apart in a report.
 */
export function functionMetric(scorer: ScorerFunction): Metric {
  const type = scorer.name;
  if (type === "") {
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      "a scorer function needs a name, and this one has none",
      {
        remedy: "Declare it as `function quality(args) {...}`, or give it to a constant first.",
      },
    );
  }
  return {
    type,
    version: null,
    config: {},
    outputs: [
      {
        name: type,
        kind: "continuous",
        description: `Score of the scorer function ${type}.`,
        absent: 0,
      },
    ],
    needs: ["text"],
    compute: async (input) => resultOf(type, await scorer(scorerArgs(type, input))),
  };
}

function scorerArgs(type: string, { row, candidate }: MetricInput): ScorerArgs {
  if (candidate.outputText === null) throw inputAbsent(type, "the trial has no output text");
  const instruction = getOwn(row.inputs, "instruction");
  const { reference } = row;
  return {
    input: instruction ?? row.inputs,
    output: candidate.outputText,
    expected: getOwn(reference, "answer") ?? getOwn(reference, "expected") ?? reference,
    metadata: { ...row.task.metadata, ...candidate.metadata },
  };
}

function resultOf(type: string, result: unknown): MetricResult {
  if (typeof result !== "object" || result === null) {
    throw failed(type, `gave ${describeKind(result)} instead of { name, score }`);
  }
  const { score, error, metadata } = result as Partial<Record<string, unknown>>;
  if (error !== undefined && error !== null) throw failed(type, `failed: ${String(error)}`, error);
  if (score !== null && typeof score !== "number") {
    throw failed(type, `gave ${describeKind(score)} as its score, not a number or null`);
  }
  return { outputs: { [type]: score }, diagnostics: diagnosticsOf(type, metadata) };
}

function failed(type: string, problem: string, cause?: unknown): AssayError {
  return new AssayError("ASSAY_METRIC_FAILED", `the scorer "${type}" ${problem}`, {
    data: { metric: type },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Metadata that cannot be stored is named, not stored. */
function diagnosticsOf(type: string, given: unknown): MetricDiagnostic[] {
  if (given === undefined || given === null) return [];
  const metadata: unknown = copyPlain(given);
  const problem = isPlainObject(metadata)
    ? whyNotJson(metadata)
    : `it is ${describeKind(metadata)}`;
  if (problem !== null) {
    return [{ severity: "warning", message: `metadata of ${type} is no JSON data: ${problem}` }];
  }
  const details = metadata as JsonObject;
  const isEmpty = Object.keys(details).length === 0;
  return isEmpty ? [] : [{ severity: "info", message: `metadata of ${type}`, details }];
}
