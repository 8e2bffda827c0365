import { toWire } from "../schema/codec.ts";
import {
  type Summary,
  summarySchema,
  type TaskMetricValue,
  taskMetricValueSchema,
} from "../schema/summary.ts";
import { formatDocument, isPlainObject } from "../support/json.ts";
import { compareText } from "../support/natural-order.ts";

type TaskValues = Summary["taskMetricValues"][string];
type Entry = readonly [key: string, pieces: Iterable<string>];

/**
 * The text of `summary.json` in pieces, equal to `formatDocument(toWire(summarySchema, summary))`, but with the values
 * of one task at a time in memory, and the text of one of them.
 */
export function* summaryDocument(summary: Summary): Generator<string> {
  const { taskMetricValues, ...others } = summary;
  const wire = { ...wireOf(others), task_metric_values: {} };
  yield* objectPieces(
    Object.keys(wire)
      .sort(compareText)
      .map(
        (key): Entry => [
          key,
          key === "task_metric_values"
            ? taskPieces(taskMetricValues)
            : [nested(wire[key as keyof typeof wire], 1)],
        ],
      ),
    0,
  );
  yield "\n";
}

function* taskPieces(values: Summary["taskMetricValues"]): Generator<string> {
  yield* objectPieces(taskEntries(values), 1);
}

function* taskEntries(values: Summary["taskMetricValues"]): Generator<Entry> {
  for (const taskId of Object.keys(values).sort(compareText))
    yield [taskId, objectPieces(metricEntries(values[taskId] ?? {}), 2)];
}

function* metricEntries(values: TaskValues): Generator<Entry> {
  for (const name of Object.keys(values).sort(compareText))
    yield [name, listPieces(values[name] ?? [], 3)];
}

/** A task may have very many trials: their values are written one at a time. */
function* listPieces(records: readonly TaskMetricValue[], depth: number): Generator<string> {
  const indent = "  ".repeat(depth + 1);
  let isEmpty = true;
  for (const record of records) {
    const text = nested(toWire(taskMetricValueSchema, record), depth + 1);
    yield `${isEmpty ? "[" : ","}\n${indent}${text}`;
    isEmpty = false;
  }
  yield isEmpty ? "[]" : `\n${"  ".repeat(depth)}]`;
}

function* objectPieces(entries: Iterable<Entry>, depth: number): Generator<string> {
  const indent = "  ".repeat(depth + 1);
  let isEmpty = true;
  for (const [key, pieces] of entries) {
    yield `${isEmpty ? "{" : ","}\n${indent}${JSON.stringify(key)}: `;
    yield* pieces;
    isEmpty = false;
  }
  yield isEmpty ? "{}" : `\n${"  ".repeat(depth)}}`;
}

/** A newline inside a JSON document is always layout, never data. */
function nested(value: unknown, depth: number): string {
  return formatDocument(value)
    .trimEnd()
    .replaceAll("\n", `\n${"  ".repeat(depth)}`);
}

function wireOf(part: Partial<Summary>): Record<string, unknown> {
  const wire = toWire(summarySchema, part);
  return isPlainObject(wire) ? wire : {};
}
