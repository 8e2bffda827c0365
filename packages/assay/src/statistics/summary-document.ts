import { toWire } from "../schema/codec.ts";
import { type Summary, summarySchema, taskMetricValuesSchema } from "../schema/summary.ts";
import { formatDocument, isPlainObject } from "../support/json.ts";
import { compareText } from "../support/natural-order.ts";

/**
 * The text of `summary.json` in pieces, equal to `formatDocument(toWire(summarySchema, summary))`, but with the values
 * of one task at a time in memory.
 */
export function* summaryDocument(summary: Summary): Generator<string> {
  const { taskMetricValues, ...others } = summary;
  const wire = { ...wireOf(others), task_metric_values: {} };
  yield* objectPieces(
    Object.keys(wire)
      .sort(compareText)
      .map((key): [string, Iterable<string>] => [
        key,
        key === "task_metric_values"
          ? taskPieces(taskMetricValues)
          : [nested(wire[key as keyof typeof wire], 1)],
      ]),
    0,
  );
  yield "\n";
}

function* taskPieces(values: Summary["taskMetricValues"]): Generator<string> {
  yield* objectPieces(taskEntries(values), 1);
}

function* taskEntries(values: Summary["taskMetricValues"]): Generator<[string, Iterable<string>]> {
  for (const taskId of Object.keys(values).sort(compareText)) {
    const wire = toWire(taskMetricValuesSchema, values[taskId] ?? {});
    yield [taskId, [nested(wire, 2)]];
  }
}

function* objectPieces(
  entries: Iterable<readonly [string, Iterable<string>]>,
  depth: number,
): Generator<string> {
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
