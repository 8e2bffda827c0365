import type { Aggregate } from "../../schema/summary.ts";
import type { JsonValue } from "../../support/json.ts";
import { wrapText } from "../../support/terminal-text.ts";
import { visibleLine } from "../../support/visible-text.ts";
import { columnsOf, type FlatRecord, formatTable, measureNames } from "./table.ts";

const passName = /^(.+)\.pass@(\d+)$/su;
/** Columns that names should have before figures are given up for them. */
const roomyNames = 24;
const listedShortfalls = 5;

/**
 * One row per output, its pass@k as columns, in a table for each kind of aggregate. Columns that say nothing of any row
 * are left out; where the width does not hold the others, p50, the extremes and every k but the powers of two give way
 * before names leave their rows.
 */
export function aggregateLines(aggregates: readonly Aggregate[], width: number): string[] {
  if (aggregates.length === 0) return [formatTable([], width)];
  const groups = groupsOf(aggregates);
  return [
    ...scoreTypes.flatMap((type) =>
      kindLines(
        groups.filter(({ aggregate }) => aggregate.scoreType === type),
        width,
      ),
    ),
    ...shortfallLines(groups, width),
  ];
}

const scoreTypes = ["range", "rubric", "scalar"] as const;

function kindLines(groups: readonly Group[], width: number): string[] {
  if (groups.length === 0) return [];
  const ks = [...new Set(groups.flatMap(({ passes }) => [...passes.keys()]))].sort((a, b) => a - b);
  const candidates = shapesOf(ks).map((shape) => {
    const records = recordsOf(groups, shape);
    return { shape, records, ...measureNames(records, width) };
  });
  const chosen =
    candidates.find(({ longest, room }) => longest <= room) ??
    candidates.find(({ room }) => room >= roomyNames) ??
    candidates[0];
  if (chosen === undefined) return [];
  const shown = columnsOf(chosen.records);
  const leftOut = columnsOf(candidates[0]?.records ?? []).filter((name) => !shown.includes(name));
  return [formatTable(chosen.records, width), ...leftOutLines(leftOut)];
}

const listedColumns = 4;

function leftOutLines(columns: readonly string[]): string[] {
  if (columns.length === 0) return [];
  const listed = columns.slice(0, listedColumns).join(", ");
  const more = columns.length - listedColumns;
  return [`(no room for ${listed}${more > 0 ? ` and ${more} more` : ""})`];
}

/** An aggregate, and its pass@k. */
interface Group {
  readonly aggregate: Aggregate;
  readonly passes: Map<number, Aggregate>;
}

function groupsOf(aggregates: readonly Aggregate[]): Group[] {
  const groups: Group[] = [];
  const byName = new Map<string, Group>();
  for (const aggregate of aggregates) {
    const [, base = "", k = ""] = passName.exec(aggregate.name) ?? [];
    const known = byName.get(base);
    if (known !== undefined && !known.passes.has(Number(k))) {
      known.passes.set(Number(k), aggregate);
      continue;
    }
    const group = { aggregate, passes: new Map<number, Aggregate>() };
    groups.push(group);
    if (!byName.has(aggregate.name)) byName.set(aggregate.name, group);
  }
  return groups;
}

const statistics = ["min", "max", "p50"] as const;

/** The columns that may give way. */
interface Shape {
  readonly statistics: readonly (typeof statistics)[number][];
  readonly ks: readonly number[];
}

/** From all columns to the fewest. */
function shapesOf(ks: readonly number[]): Shape[] {
  const last = ks.at(-1);
  const sparse = ks.filter((k) => Number.isInteger(Math.log2(k)) || k === last);
  const ends = ks.filter((k) => k === 1 || k === last);
  return [ks, sparse, ends].flatMap((shown) => [
    { statistics, ks: shown },
    { statistics: ["min", "max"] as const, ks: shown },
    { statistics: [], ks: shown },
  ]);
}

function recordsOf(groups: readonly Group[], shape: Shape): FlatRecord[] {
  const aggregates = groups.map(({ aggregate }) => aggregate);
  const hasGaps = aggregates.some(({ nanCount }) => nanCount > 0);
  const records = groups.map(({ aggregate, passes }) => {
    const { name, count, nanCount, mean } = aggregate;
    const record: Record<string, JsonValue> = { name, count };
    if (hasGaps) record["nan_count"] = nanCount;
    record["mean"] = mean;
    for (const statistic of shape.statistics) record[statistic] = figureOf(aggregate, statistic);
    if (aggregate.scoreType === "rubric") record["mode_category"] = aggregate.modeCategory;
    if (aggregate.scoreType === "scalar") record["value"] = aggregate.value;
    for (const k of shape.ks) record[`pass@${k}`] = passes.get(k)?.mean ?? null;
    return record;
  });
  return withoutEmptyColumns(records);
}

function withoutEmptyColumns(records: readonly FlatRecord[]): FlatRecord[] {
  const filled = columnsOf(records).filter((column) =>
    records.some((record) => (record[column] ?? null) !== null),
  );
  return records.map((record) =>
    Object.fromEntries(filled.map((column) => [column, record[column] ?? null])),
  );
}

function figureOf(aggregate: Aggregate, statistic: (typeof statistics)[number]): number | null {
  if (statistic !== "p50") return aggregate[statistic];
  return aggregate.scoreType === "range" ? (aggregate.percentiles?.p50 ?? null) : null;
}

/** Says where pass@k is not over all tasks, since some have fewer than k trials that count. */
function shortfallLines(groups: readonly Group[], width: number): string[] {
  const texts = groups.flatMap(({ aggregate, passes }) => {
    const short = [...passes].filter(([, { nanCount }]) => nanCount > 0);
    if (short.length === 0) return [];
    const counts = short.map(
      ([k, { count, nanCount }]) => `pass@${k} over ${count ?? 0} of ${(count ?? 0) + nanCount}`,
    );
    return [`${visibleLine(aggregate.name)}: ${counts.join(", ")} tasks`];
  });
  const more = texts.length - listedShortfalls;
  return [
    ...texts.slice(0, listedShortfalls).flatMap((text) => wrapText(text, { width, next: "  " })),
    ...(more > 0 ? [`... ${more} more outputs whose pass@k is not over all tasks`] : []),
  ];
}
