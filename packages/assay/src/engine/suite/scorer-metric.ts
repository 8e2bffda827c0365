import type {
  Metric,
  MetricInput,
  MetricResult,
  ScorerArgs,
  ScorerFunction,
} from "../../contracts/metric.ts";
import { AssayError } from "../../errors/assay-error.ts";
import {
  describeKind,
  getOwn,
  isJson,
  isPlainObject,
  type JsonObject,
} from "../../support/json.ts";
import { functionIdentity } from "../../support/options.ts";

/** A metric made from a scorer function: its type is the function's name, its one output is `score`. */
export function scorerMetric(scorer: ScorerFunction, place: string, suiteName: string): Metric {
  const { name } = scorer;
  if (name === "") {
    throw new AssayError(
      "ASSAY_SUITE_INVALID",
      `${place} is a function without a name, which cannot be recorded`,
      {
        remedy:
          "Give the scorer a name: const closeEnough = (args) => ({ name: ..., score: ... }).",
      },
    );
  }
  return {
    type: name,
    version: null,
    config: { function: functionIdentity({ name }, suiteName) },
    outputs: [
      {
        name: "score",
        kind: "continuous",
        description: `Score of the scorer function ${name}.`,
        absent: 0,
      },
    ],
    needs: ["text"],
    compute: async (input) => resultOf(await scorer(argumentsOf(input)), name),
  };
}

function argumentsOf({ row, candidate }: MetricInput): ScorerArgs {
  const expectedKey = ["answer", "expected"].find((key) => Object.hasOwn(row.reference, key));
  return {
    input: getOwn(row.inputs, "instruction") ?? row.inputs,
    output: candidate.outputText ?? "",
    expected: expectedKey === undefined ? row.reference : row.reference[expectedKey],
    metadata: { ...row.task.metadata, ...candidate.metadata },
  };
}

function resultOf(result: unknown, name: string): MetricResult {
  const score = isRecord(result) ? result["score"] : undefined;
  if (!isRecord(result) || (score !== null && typeof score !== "number")) {
    throw new TypeError(
      `the scorer ${name} must return { name, score: number | null }, not ${describeKind(isRecord(result) ? score : result)}`,
    );
  }
  const metadata = result["metadata"];
  const details: JsonObject = isPlainObject(metadata) && isJson(metadata) ? metadata : {};
  if (score === null) {
    return {
      outputs: { score: null },
      diagnostics: [{ message: `${name} gave no score`, severity: "warning", details }],
    };
  }
  const diagnostics =
    Object.keys(details).length === 0
      ? []
      : [{ message: `metadata of ${name}`, severity: "info" as const, details }];
  return { outputs: { score }, diagnostics };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
