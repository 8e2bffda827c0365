import { z } from "zod";

import type { MetricLike } from "../contracts/metric.ts";
import type { Target } from "../contracts/target.ts";
import type { InstructionInputs } from "../contracts/task.ts";
import { AssayError } from "../errors/assay-error.ts";
import { parseValue } from "../schema/codec.ts";
import type { TrialRecordInput } from "../schema/trial.ts";
import {
  describeKind,
  getOwn,
  isPlainObject,
  type JsonObject,
  type JsonValue,
} from "../support/json.ts";
import type { EvalResult } from "./api.ts";
import type { EvaluationConfig } from "./evaluation-request.ts";
import { NodeEvaluator } from "./node-evaluator.ts";
import { withRedactedErrors } from "./redact-error.ts";
import { secretsOfValue } from "./suite/declared-secrets.ts";
import type { TaskDefinition } from "./suite/suite.ts";

const column = () => z.string().min(1).optional();

/** Of keys alone: what they hold is checked where it is used. */
const evaluationSchema = z.strictObject({
  rows: z.unknown(),
  metrics: z.unknown(),
  target: z.unknown().optional(),
  fieldMapping: z
    .strictObject({ input: column(), output: column(), reference: column(), id: column() })
    .optional(),
  config: z.unknown().optional(),
} satisfies Record<keyof RowsEvaluation, z.ZodType>);

/** Which column holds what: dotted paths into a row. */
export interface FieldMapping {
  /** Default `input`. Becomes the task's instruction. */
  readonly input?: string;
  /** Default `output`. What the agent said, when there is no target; null is a reply that never came. */
  readonly output?: string;
  /** Default `reference`. An object is taken as it is; anything else becomes `reference.answer`. */
  readonly reference?: string;
  /** Default `id`. Rows without one are `row-1`, `row-2`, ... */
  readonly id?: string;
}

export interface RowsEvaluation {
  /** One object per row; the whole row is the task's `inputs.row`, for templates. */
  readonly rows: readonly JsonObject[];
  readonly metrics: readonly MetricLike[];
  /** Produces the outputs; without it each row brings its own. */
  readonly target?: Target<InstructionInputs>;
  readonly fieldMapping?: FieldMapping;
  readonly config?: EvaluationConfig;
}

/** Does what `evaluate` promises. No error of it shows a secret that the configuration declares. */
export async function evaluateRows(evaluation: RowsEvaluation): Promise<EvalResult> {
  const evaluator = await NodeEvaluator.open({});
  return await withRedactedErrors(
    () => secretsOfValue(evaluation.config),
    evaluator.env,
    () => evaluateWith(evaluator, evaluation),
  );
}

async function evaluateWith(
  evaluator: NodeEvaluator,
  evaluation: RowsEvaluation,
): Promise<EvalResult> {
  parseValue(evaluationSchema, evaluation, { source: "evaluate" });
  const { rows, metrics, target, fieldMapping = {}, config = {} } = evaluation;
  if (rows.length === 0)
    throw new AssayError("ASSAY_TASK_INVALID", "there are no rows to evaluate");
  const tasks = rows.map((row, index) => taskOf(row, index, fieldMapping));
  if (target !== undefined) return await evaluator.run({ tasks, metrics, target, config });
  const trials = rows.map((row, index) => trialOf(row, tasks[index]?.id ?? "", fieldMapping));
  return await evaluator.run({ tasks, metrics, trials, config });
}

function taskOf(row: JsonObject, index: number, mapping: FieldMapping): TaskDefinition {
  if (!isPlainObject(row))
    throw new AssayError(
      "ASSAY_TASK_INVALID",
      `row ${index + 1} is ${describeKind(row)}, not an object`,
    );
  const id = at(row, mapping.id ?? "id") ?? `row-${index + 1}`;
  if (typeof id !== "string")
    throw new AssayError(
      "ASSAY_TASK_INVALID",
      `row ${index + 1}: its id ${JSON.stringify(id)} is not a string`,
    );
  const input = at(row, mapping.input ?? "input");
  const reference = at(row, mapping.reference ?? "reference");
  return {
    id,
    intent: "",
    inputs: { instruction: typeof input === "string" ? input : JSON.stringify(input ?? ""), row },
    reference: isPlainObject(reference) ? (reference as JsonObject) : { answer: reference ?? null },
  };
}

function trialOf(row: JsonObject, taskId: string, mapping: FieldMapping): TrialRecordInput {
  const column = mapping.output ?? "output";
  const output = at(row, column);
  if (output === undefined) {
    throw new AssayError("ASSAY_TASK_INVALID", `row "${taskId}" has no "${column}"`, {
      remedy: "Give each row an output, name the column in fieldMapping, or give a target.",
    });
  }
  const id = `${taskId}:row`;
  if (output === null) {
    const error = { type: "BlankReply", message: `"${column}" of the row is null` };
    return { id, taskId, status: "partial", error };
  }
  const isText = typeof output === "string";
  return {
    id,
    taskId,
    status: "completed",
    output: { outputText: isText ? output : null, response: isText ? null : output },
  };
}

function at(row: JsonObject, path: string): JsonValue | undefined {
  let here: unknown = row;
  for (const key of path.split(".")) {
    if (!isPlainObject(here)) return undefined;
    here = getOwn(here, key);
  }
  return here as JsonValue | undefined;
}
