import path from "node:path";

import type { DatasetRow } from "../../contracts/dataset.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { type TaskFields, taskFieldsSchema } from "../../schema/task.ts";
import { sha256Hex } from "../../support/digest.ts";
import { formatRow, getOwn, isPlainObject, type JsonObject, sortKeys } from "../../support/json.ts";
import { gymKeys } from "./rollout.ts";

/**
 * The task of one row of a Gym dataset. Equal rows give the same id, whatever indexes Gym has put into them. Throws
 * `ASSAY_TASK_INVALID` for a row without `responses_create_params`.
 */
export function gymTask({ value: row, dataset, rowNumber }: DatasetRow): TaskFields {
  const params = isPlainObject(row) ? getOwn(row, gymKeys.params) : undefined;
  if (!isPlainObject(row) || !isPlainObject(params)) {
    throw new AssayError(
      "ASSAY_TASK_INVALID",
      `row ${rowNumber} of ${dataset} has no '${gymKeys.params}' mapping`,
      { data: { path: dataset, row: rowNumber } },
    );
  }
  const { [gymKeys.taskIndex]: _task, [gymKeys.rolloutIndex]: _rollout, ...content } = row;
  const { [gymKeys.params]: _params, ...extras } = content;
  const instruction = instructionOfRow(params);
  return taskFieldsSchema.parse({
    // As RFC 8785 has it, but for texts with half a character, which that has no form for.
    id: sha256Hex(formatRow(sortKeys(content))),
    intent: `Gym row from ${path.basename(dataset)}`,
    inputs: { ...(instruction === "" ? {} : { instruction }), gym_row: params },
    metadata: { gym_dataset_path: dataset, gym_row_extras: extras },
  });
}

/** `instructions`, a blank line, then the texts of `input`. Empty when the environment makes the prompt. */
export function instructionOfRow(params: Record<string, unknown>): string {
  const instructions = getOwn(params, "instructions");
  const texts = textsOf(getOwn(params, "input"));
  const parts = [typeof instructions === "string" ? instructions : "", texts.join("\n")];
  return parts.filter((part) => part !== "").join("\n\n");
}

function textsOf(input: unknown): readonly string[] {
  if (typeof input === "string") return [input];
  if (!Array.isArray(input)) return [];
  return input.filter(isPlainObject).flatMap((message) => {
    const content = getOwn(message, "content");
    if (typeof content === "string") return [content];
    if (!Array.isArray(content)) return [];
    return content
      .filter(isPlainObject)
      .map((part) => getOwn(part, "text"))
      .filter((text) => typeof text === "string");
  });
}

/** The row of a task, as Gym wants it. Throws `ASSAY_TASK_INVALID` when one of its halves is not there. */
export function gymRow(task: Pick<TaskFields, "id" | "inputs" | "metadata">): JsonObject {
  const params = getOwn(task.inputs, "gym_row");
  const extras = getOwn(task.metadata, "gym_row_extras");
  if (isPlainObject(params) && isPlainObject(extras))
    return { ...(extras as JsonObject), [gymKeys.params]: params as JsonObject };
  const missing = isPlainObject(params) ? "metadata.gym_row_extras" : "inputs.gym_row";
  throw new AssayError(
    "ASSAY_TASK_INVALID",
    `task "${task.id}" is no row of a Gym dataset: it has no object ${missing}`,
    {
      data: { task_id: task.id },
      remedy: 'Read the tasks from a dataset: `tasks: { jsonl: "<path>", format: "gym" }`.',
    },
  );
}
