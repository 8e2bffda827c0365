import type { JsonValue } from "../../support/json.ts";
import { visibleLine } from "../../support/visible-text.ts";

/** One row: a cell by its column. A column that a row lacks is shown like null. */
export type FlatRecord = Readonly<Record<string, JsonValue>>;

/** The union of the columns of all records, each where it first appears. */
export function columnsOf(records: readonly FlatRecord[]): string[] {
  const columns = new Set<string>();
  for (const record of records) for (const column of Object.keys(record)) columns.add(column);
  return [...columns];
}

const maxCell = 40;
const minCell = 8;
const gap = "  ";
const absent = "-";

/**
 * A table of text that fits the width, in characters, where it can: no cell is longer than 40, and the widest columns
 * give way first, down to 8. A cut cell keeps its beginning and its end, since names tell apart by their ends.
 */
export function formatTable(records: readonly FlatRecord[], width: number): string {
  const columns = columnsOf(records);
  if (columns.length === 0) return "(no rows)";
  const cells = records.map((record) => columns.map((column) => cellOf(record[column])));
  const widths = fitted(naturalWidths(columns, cells), width);
  const isNumeric = columns.map((column) =>
    records.every((record) => isNumber(record[column] ?? null)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => {
        const cut = cutText(cell, widths[index] ?? maxCell);
        const padding = " ".repeat(Math.max((widths[index] ?? 0) - lengthOf(cut), 0));
        return isNumeric[index] === true ? padding + cut : cut + padding;
      })
      .join(gap)
      .trimEnd();
  const rule = widths.map((size) => "-".repeat(size)).join(gap);
  return [line(columns), rule, ...cells.map(line)].join("\n");
}

function isNumber(value: JsonValue): boolean {
  return value === null || typeof value === "number";
}

function naturalWidths(columns: readonly string[], rows: readonly (readonly string[])[]): number[] {
  return columns.map((column, index) => {
    let widest = lengthOf(column);
    for (const row of rows) widest = Math.max(widest, lengthOf(row[index] ?? ""));
    return Math.min(widest, maxCell);
  });
}

function fitted(widths: readonly number[], available: number): number[] {
  const result = [...widths];
  let excess = result.reduce((sum, size) => sum + size + gap.length, -gap.length) - available;
  while (excess > 0) {
    const widest = Math.max(...result);
    if (widest <= minCell) break;
    result[result.indexOf(widest)] = widest - 1;
    excess -= 1;
  }
  return result;
}

function cellOf(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return absent;
  if (typeof value === "string") return visibleLine(value);
  return visibleLine(typeof value === "number" ? formatNumber(value) : JSON.stringify(value));
}

/** Whole numbers in full, others with four significant digits or all of the whole part. */
export function formatNumber(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const wholeDigits = String(Math.trunc(Math.abs(value))).length;
  return String(Number(value.toPrecision(Math.min(Math.max(wholeDigits, 4), 17))));
}

function lengthOf(text: string): number {
  return [...text].length;
}

const ellipsis = "...";

/** At most `limit` characters, with `...` where some were left out. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const characters = [...text];
  if (characters.length <= limit) return text;
  const kept = Math.max(limit - ellipsis.length, 0);
  const tail = Math.floor(kept / 2);
  const end = tail === 0 ? [] : characters.slice(-tail);
  return [...characters.slice(0, kept - tail), ellipsis, ...end].join("");
}
