import type { JsonValue } from "../../support/json.ts";
import { cutToWidth, displayWidth, wrapText } from "../../support/terminal-text.ts";
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
/** Widths that titles are brought to, one after the other, until there is room for names. */
const titleWidths = [maxCell, 24, 16, 12];
/** Room that names need at least; where the figures leave less, each is written beside its column's title. */
const minNames = 12;
const gap = "  ";
const absent = "-";

/**
 * A table of text that fits the width. The first column holds names: they are never cut, and one that is too long
 * stands on a line of its own, with its figures below. Titles are parted into lines where that makes room; other cells
 * are cut to 40 columns. `notes` are lines below a row.
 */
export function formatTable(
  records: readonly FlatRecord[],
  width: number,
  notes: readonly (readonly string[])[] = [],
): string {
  const table = tableOf(records, notes);
  if (table === null) return "(no rows)";
  const layouts = titleWidths.map((titleWidth) => layOut(table, titleWidth, width));
  const layout =
    layouts.find(({ longest, room }) => longest <= room) ??
    layouts.find(({ room }) => room >= minNames);
  const lines = layout === undefined ? listed(table, width) : aligned(table, layout, width);
  return lines.join("\n");
}

/** Columns that the figures of a table leave for its names, and those that the longest name takes. */
export function measureNames(
  records: readonly FlatRecord[],
  width: number,
): { readonly longest: number; readonly room: number } {
  const table = tableOf(records, []);
  return table === null ? { longest: 0, room: width } : layOut(table, maxCell, width);
}

interface Row {
  readonly name: string;
  readonly cells: readonly string[];
  readonly notes: readonly string[];
}

interface Table {
  readonly title: string;
  readonly figures: readonly { readonly title: string; readonly isNumeric: boolean }[];
  readonly rows: readonly Row[];
}

function tableOf(
  records: readonly FlatRecord[],
  notes: readonly (readonly string[])[],
): Table | null {
  const [title, ...columns] = columnsOf(records);
  if (title === undefined) return null;
  return {
    title,
    figures: columns.map((column) => ({
      title: column,
      isNumeric: records.every((record) => isNumber(record[column] ?? null)),
    })),
    rows: records.map((record, index) => ({
      name: cellOf(record[title]),
      cells: columns.map((column) => cutToWidth(cellOf(record[column]), maxCell)),
      notes: notes[index] ?? [],
    })),
  };
}

function isNumber(value: JsonValue): boolean {
  return value === null || typeof value === "number";
}

interface Column {
  readonly titleLines: readonly string[];
  readonly width: number;
  readonly isNumeric: boolean;
}

interface Layout {
  readonly columns: readonly Column[];
  readonly longest: number;
  readonly room: number;
}

function layOut({ title, figures, rows }: Table, titleWidth: number, width: number): Layout {
  const columns = figures.map(({ title: text, isNumeric }, index) => {
    const titleLines = titleLinesOf(visibleLine(text), titleWidth);
    const cells = rows.map(({ cells: all }) => all[index] ?? "");
    return { titleLines, width: widest([...titleLines, ...cells]), isNumeric };
  });
  const room = width - columns.reduce((sum, column) => sum + gap.length + column.width, 0);
  const longest = widest([title, ...rows.map(({ name }) => name)]);
  return { columns, longest, room };
}

/** Parts a title behind the signs that part names. */
function titleLinesOf(title: string, width: number): string[] {
  if (displayWidth(title) <= width) return [title];
  const lines: string[] = [];
  for (const part of title.match(/[^-_. ]*[-_. ]?/g) ?? []) {
    const joined = (lines.at(-1) ?? "") + part;
    if (lines.length > 0 && displayWidth(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(...wrapText(part, { width }));
  }
  return lines;
}

function aligned({ title, rows }: Table, layout: Layout, width: number): string[] {
  const names = rows.map(({ name }) => name).filter((name) => displayWidth(name) <= layout.room);
  const nameColumn = { titleLines: [title], width: widest([title, ...names]), isNumeric: false };
  const columns = [nameColumn, ...layout.columns];
  const line = (cells: readonly string[]) =>
    columns
      .map((column, index) => padded(cells[index] ?? "", column))
      .join(gap)
      .trimEnd();
  return [
    ...headLines(columns).map(line),
    columns.map((column) => "-".repeat(column.width)).join(gap),
    ...rows.flatMap(({ name, cells, notes }) =>
      displayWidth(name) <= nameColumn.width
        ? [line([name, ...cells]), ...notes]
        : [...wrapText(name, { width }), line(["", ...cells]), ...notes],
    ),
  ];
}

/** The lines of all titles, which end on the same line. */
function headLines(columns: readonly Column[]): string[][] {
  const height = columns.reduce((max, { titleLines }) => Math.max(max, titleLines.length), 0);
  return Array.from({ length: height }, (_, index) =>
    columns.map(({ titleLines }) => titleLines[index - height + titleLines.length] ?? ""),
  );
}

function padded(text: string, { width, isNumeric }: Column): string {
  const padding = " ".repeat(Math.max(width - displayWidth(text), 0));
  return isNumeric ? padding + text : text + padding;
}

function listed({ figures, rows }: Table, width: number): string[] {
  return rows.flatMap(({ name, cells, notes }) => {
    const present = figures.flatMap(({ title }, index) =>
      cells[index] === absent ? [] : [`${visibleLine(title)} ${cells[index]}`],
    );
    const lines = wrapText(present.join(", "), { width, first: "  " });
    return [...wrapText(name, { width }), ...(present.length === 0 ? [] : lines), ...notes];
  });
}

function widest(texts: readonly string[]): number {
  return texts.reduce((size, text) => Math.max(size, displayWidth(text)), 0);
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
