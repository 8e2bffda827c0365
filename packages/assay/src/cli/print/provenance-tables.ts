import type { EvalResult } from "../../entries/index.ts";
import { visibleLine, wrapText } from "../../entries/index.ts";
import { evaluatedTarget } from "./provenance-text.ts";
import { countOf, entriesAt, valueAt } from "./rows.ts";

type Target = EvalResult["metadata"]["target"];

/** Items of a list that are shown one by one; `--json` has all of them. */
const maxItems = 20;
const maxText = 2000;
const fixedColumns = 12;
const gap = 2;

/** Everything that a statement says, for people: the options as a table, then each section fact by fact. */
export function provenanceTables(
  { target }: EvalResult["metadata"],
  statement: unknown,
  width: number,
): readonly string[] {
  const predicate = valueAt(statement, ["predicate"]);
  const evaluated = evaluatedTarget(target, predicate);
  const sections = sectionsOf(predicate);
  return [
    ...targetLines(evaluated, width),
    "",
    ...optionTable(evaluated?.config ?? {}, valueAt(predicate, ["runner"]), width),
    ...(sections.length === 0 ? ["", "There is no provenance.json: no more is known."] : []),
    ...sections.flatMap(([name, value]) => ["", ...sectionLines(name, value, width)]),
  ];
}

/** As they are asked for; those of other versions of Assay come last. */
const firstSections = [
  ["run", "models", "prompt", "sandbox", "tool", "tasks", "parameters", "metrics", "digests"],
  ["code_files", "source", "assay", "host", "invocations", "time", "usage", "cache"],
].flat();

/** What the table of options has not said yet. */
function sectionsOf(predicate: unknown): readonly (readonly [string, unknown])[] {
  const all = new Map(entriesAt(predicate, []));
  all.delete("runner");
  const first = firstSections.filter((name) => all.has(name));
  const invocations = entriesAt(predicate, ["invocations"]).map(([, invocation]) =>
    withoutRepeats(invocation, predicate),
  );
  if (all.has("invocations")) all.set("invocations", invocations);
  return [...new Set([...first, ...all.keys()])].map((name) => [name, all.get(name)] as const);
}

const environmentSections = ["assay", "host", "source"];

/** A start with the environment of the last one, which has sections of its own, does not repeat it. */
function withoutRepeats(invocation: unknown, predicate: unknown): unknown {
  const own = valueAt(invocation, ["environment"]);
  const isSame = environmentSections.every(
    (name) => JSON.stringify(valueAt(own, [name])) === JSON.stringify(valueAt(predicate, [name])),
  );
  if (own === undefined || !isSame) return invocation;
  return { ...(invocation as object), environment: `see ${environmentSections.join(", ")}` };
}

function targetLines(target: Target, width: number): readonly string[] {
  const text =
    target === null
      ? "unknown"
      : `${target.name} ${target.version ?? "of unknown version"} (${target.kind})`;
  return wrapText(visibleLine(text), { width, first: "target  ", next: "        " });
}

interface Row {
  readonly name: string;
  readonly value: string;
  readonly origin: string;
  readonly role: string;
}

/** Each option with where its value came from; a part that was set by itself is a row of its own. */
function optionTable(
  config: Readonly<Record<string, unknown>>,
  runner: unknown,
  width: number,
): readonly string[] {
  const origins = entriesAt(runner, ["origins"]);
  const rows = Object.entries(config).flatMap(([name, value]): Row[] => {
    const own = origins.find(([place]) => place === name)?.[1] ?? "";
    const parts = origins.filter(([place]) => place.startsWith(`${name}.`));
    const role = String(valueAt(runner, ["roles", name]) ?? "");
    return [
      { name, value: JSON.stringify(value), origin: String(own), role },
      ...parts.map(([place, origin]) => ({
        name: `  ${place.slice(name.length)}`,
        value: "",
        origin: String(origin),
        role: "",
      })),
    ];
  });
  if (rows.length === 0) return ["options  none"];
  const header = { name: "option", value: "value", origin: "origin", role: "role" };
  const nameWidth = Math.min(24, Math.max(...[header, ...rows].map(({ name }) => name.length)));
  const ruler = "-".repeat(width);
  return [
    ...rowLines(header, nameWidth, width),
    ruler,
    ...rows.flatMap((row) => rowLines(row, nameWidth, width)),
  ];
}

/** A value as long as a page goes on below itself; a name that is too long stands on a line of its own. */
function rowLines(
  { name, value, origin, role }: Row,
  nameWidth: number,
  width: number,
): readonly string[] {
  const shownName = visibleLine(name);
  const end = `  ${origin.padEnd(fixedColumns)}${role}`.trimEnd();
  const valueWidth = width - nameWidth - gap - 2 * fixedColumns - gap;
  const indent = " ".repeat(nameWidth + gap);
  const [first = "", ...more] = wrapText(visibleLine(cut(value)), {
    width: valueWidth,
    first: "",
    next: "",
  });
  const isLong = shownName.length > nameWidth;
  const start = isLong ? indent : shownName.padEnd(nameWidth + gap);
  return [
    ...(isLong ? wrapText(shownName, { width, first: "", next: "  " }) : []),
    `${start}${first.padEnd(valueWidth)}${end}`.trimEnd(),
    ...more.map((line) => indent + line),
  ];
}

/** A heading, then each fact with its place below it. */
function sectionLines(name: string, value: unknown, width: number): readonly string[] {
  const facts = [...factsBelow(value, "")];
  const [only] = facts;
  if (facts.length === 1 && only?.place === "")
    return wrapText(visibleLine(only.text), { width, first: `${name}  `, next: "    " });
  if (facts.length === 0) return [`${name}  none`];
  const column = Math.min(26, Math.max(...facts.map(({ place }) => place.length)));
  return [
    visibleLine(name),
    ...facts.flatMap(({ place, text }) => {
      const shown = `  ${visibleLine(place).padEnd(column)}  `;
      if (shown.length <= column + 4) return factLines(shown, visibleLine(text), width);
      const above = wrapText(visibleLine(place), { width, first: "  ", next: inner });
      return [...above, ...factLines(inner, visibleLine(text), width)];
    }),
  ];
}

const inner = "      ";

/** One word, such as a digest or a path, is parted only where no line can hold it, so that it can be copied. */
function factLines(first: string, text: string, width: number): readonly string[] {
  if (first.length + text.length <= width || /\s/u.test(text))
    return wrapText(text, { width, first, next: inner });
  if (inner.length + text.length <= width) return [first.trimEnd(), inner + text].filter(hasText);
  const [, kind, figures] = /^(\S*:)([0-9a-f]{64})$/.exec(text) ?? [];
  if (kind === undefined || figures === undefined)
    return wrapText(text, { width, first, next: inner });
  return [first + kind, inner + figures];
}

function hasText(line: string): boolean {
  return line !== "";
}

interface PlacedFact {
  readonly place: string;
  readonly text: string;
}

function* factsBelow(value: unknown, place: string): Iterable<PlacedFact> {
  const reason = valueAt(value, ["unknown"]);
  if (typeof reason === "string") yield { place, text: `unknown: ${reason}` };
  else if (Array.isArray(value)) yield* itemsOf(value, place);
  else if (typeof value !== "object" || value === null)
    yield { place, text: cut(plainText(value)) };
  else
    for (const [key, item] of Object.entries(value))
      yield* factsBelow(item, place === "" ? key : `${place}.${key}`);
}

/** A list of plain values is one fact. */
function* itemsOf(list: readonly unknown[], place: string): Iterable<PlacedFact> {
  if (list.every((item) => typeof item !== "object" || item === null)) {
    yield { place, text: list.length === 0 ? "none" : cut(list.map(plainText).join(" ")) };
    return;
  }
  for (const [index, item] of list.slice(0, maxItems).entries())
    yield* factsBelow(item, `${place}[${index}]`);
  const left = list.length - maxItems;
  if (left > 0) yield { place, text: `and ${countOf(left, "more", "more")}: see --json` };
}

function plainText(value: unknown): string {
  return typeof value === "string" ? value : String(value);
}

function cut(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText)} ...`;
}
