import type { Evidence } from "../../contracts/evidence.ts";
import type { MetricInput } from "../../contracts/metric.ts";
import { toWire } from "../../schema/codec.ts";
import type { TaskRecord } from "../../schema/task.ts";
import { type TrialRecord, trialErrorSchema } from "../../schema/trial.ts";
import { freezePlain, type JsonObject } from "../../support/json.ts";

export interface InputSource {
  readonly task: TaskView;
  readonly trial: TrialRecord;
  readonly evidence: Evidence;
}

/** The part of a row that all trials of a task share. */
export type TaskView = Pick<MetricInput["row"], "rowIndex" | "task" | "inputs" | "reference">;

export function taskView(
  { id, intent, metadata, inputs, reference }: TaskRecord,
  rowIndex: number,
): TaskView {
  return freezePlain({ rowIndex, task: { id, intent, metadata }, inputs, reference });
}

/**
 * What all metrics of a trial read. It is frozen, for a copy for each of them would cost more than most metrics do:
 * one that changes its input throws, and the others are not affected.
 */
export function metricInput({ task, trial, evidence }: InputSource): MetricInput {
  const { output, metadata } = trial;
  freezePlain(metadata);
  const candidate: MetricInput["candidate"] = Object.freeze({
    outputText: output?.outputText ?? null,
    response: freezePlain(output?.response ?? null),
    metadata: freezePlain(withMembersOf(metadata, output?.metadata)),
    evidence,
  });
  const { rowIndex, inputs, reference } = task;
  const row = { rowIndex, task: task.task, inputs, reference, trial: trialView(trial) };
  return Object.freeze({ row: Object.freeze(row), candidate });
}

function trialView({ id, taskId, status, error, metadata }: TrialRecord) {
  return Object.freeze({
    id,
    taskId,
    status: status === "completed" ? status : ("partial" as const),
    error: error === null ? null : (freezePlain(toWire(trialErrorSchema, error)) as JsonObject),
    metadata,
  });
}

/** Few outputs have metadata of their own, and to merge costs more than to look. */
function withMembersOf(metadata: JsonObject, others: JsonObject = {}): JsonObject {
  return Object.keys(others).length === 0 ? metadata : { ...metadata, ...others };
}
