import { AssayError } from "../../errors/assay-error.ts";
import { toWire } from "../../schema/codec.ts";
import type { ScoreRecord } from "../../schema/score.ts";
import { type Aggregate, aggregateSchema, type Summary } from "../../schema/summary.ts";
import type { TaskRecord } from "../../schema/task.ts";
import { formatRow, isPlainObject, type JsonValue, setOwn } from "../../support/json.ts";
import { planOrderOf } from "./plan-order.ts";
import type { FlatRecord } from "./table.ts";

const views = ["rows", "aggregate"] as const;
export type RecordView = (typeof views)[number];

export interface RecordSource {
  readonly tasks: readonly Pick<TaskRecord, "id" | "metrics">[];
  readonly scores: AsyncIterable<ScoreRecord>;
  readonly summary: Pick<Summary, "scores">;
}

/**
 * Flat records for tables: `rows`, one per score in plan order, or `aggregate`, one per aggregate score.
 * Records of one view differ in their columns. Throws `ASSAY_CONFIG_INVALID` for any other view.
 */
export async function toRecords(source: RecordSource, view: RecordView): Promise<FlatRecord[]> {
  if (view === "aggregate") return source.summary.scores.scores.map(aggregateRecord);
  if (view !== "rows") {
    const accepted = views.map((name) => `"${name}"`).join(" or ");
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      `the view of records must be ${accepted}, not "${String(view)}"`,
    );
  }
  const scores: ScoreRecord[] = [];
  for await (const score of source.scores) scores.push(score);
  return scores.sort(planOrderOf(source.tasks).compareScores).map(scoreRecord);
}

/** `error` joins what went wrong and `diagnostics.<metric>` holds all as JSON; each is there only when there is any. */
export function scoreRecord(score: ScoreRecord): FlatRecord {
  const record: Record<string, JsonValue> = {
    id: score.id,
    run_id: score.runId,
    task_id: score.taskId,
    trial_id: score.trialId,
    metric_type: score.metricType,
    status: score.status,
  };
  for (const { name, value } of score.outputs) setOwn(record, `output.${name}`, value);
  const error = errorText(score);
  if (error !== "") record["error"] = error;
  if (score.diagnostics.length > 0) {
    setOwn(record, `diagnostics.${score.metricType}`, formatRow(score.diagnostics));
  }
  flatten(record, "metadata", score.metadata);
  return record;
}

/** The messages of error diagnostics in one text; empty when there are none. */
export function errorText({ diagnostics }: Pick<ScoreRecord, "diagnostics">): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  return errors.map(({ message }) => message).join("; ");
}

/** Percentiles as `percentiles.p50` and so on; histogram and label distribution as JSON text. */
export function aggregateRecord(aggregate: Aggregate): FlatRecord {
  const wire = toWire(aggregateSchema, aggregate);
  const record: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(isPlainObject(wire) ? wire : {})) {
    if (key === "percentiles") flatten(record, key, value as JsonValue);
    else setOwn(record, key, isNested(value) ? formatRow(value) : (value as JsonValue));
  }
  return record;
}

function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function flatten(record: Record<string, JsonValue>, path: string, value: JsonValue): void {
  if (!isPlainObject(value)) {
    setOwn(record, path, value);
    return;
  }
  for (const key of Object.keys(value)) flatten(record, `${path}.${key}`, value[key] as JsonValue);
}
