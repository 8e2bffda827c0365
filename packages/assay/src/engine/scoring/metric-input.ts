import type { Evidence } from "../../contracts/evidence.ts";
import type { MetricInput } from "../../contracts/metric.ts";
import { toWire } from "../../schema/codec.ts";
import type { TaskRecord } from "../../schema/task.ts";
import { type TrialRecord, trialErrorSchema } from "../../schema/trial.ts";
import { freezePlain, type JsonObject } from "../../support/json.ts";

export interface InputSource {
  readonly task: TaskRecord;
  readonly trial: TrialRecord;
  readonly rowIndex: number;
  readonly evidence: Evidence;
}

/**
 * What all metrics of a trial read. It is frozen, for a copy for each of them would cost more than most metrics do:
 * one that changes its input throws, and the others are not affected.
 */
export function metricInput({ task, trial, rowIndex, evidence }: InputSource): MetricInput {
  freezePlain(task);
  const { output, metadata } = trial;
  const candidate: MetricInput["candidate"] = Object.freeze({
    outputText: output?.outputText ?? null,
    response: freezePlain(output?.response ?? null),
    metadata: freezePlain(withMembersOf(metadata, output?.metadata)),
    evidence,
  });
  return Object.freeze({ row: metricRow(task, trial, rowIndex), candidate });
}

function metricRow(
  task: TaskRecord,
  { id, taskId, status, error, metadata }: TrialRecord,
  rowIndex: number,
): MetricInput["row"] {
  return freezePlain({
    rowIndex,
    task: { id: task.id, intent: task.intent, metadata: task.metadata },
    inputs: task.inputs,
    reference: task.reference,
    trial: {
      id,
      taskId,
      status: status === "completed" ? status : ("partial" as const),
      error: error === null ? null : (toWire(trialErrorSchema, error) as JsonObject),
      metadata,
    },
  });
}

/** Few outputs have metadata of their own, and to merge costs more than to look. */
function withMembersOf(metadata: JsonObject, others: JsonObject = {}): JsonObject {
  return Object.keys(others).length === 0 ? metadata : { ...metadata, ...others };
}
