import { visibleLine, wrapText } from "../../entries/index.ts";

const labelWidth = 10;
const narrowIndent = 4;

/** A label and a text beside it, on as many lines as it needs; nothing for null. */
export function row(label: string, text: string | null, width: number): readonly string[] {
  if (text === null) return [];
  const shown = visibleLine(text);
  const first = label.padEnd(labelWidth);
  return wrapText(shown, { width, first, next: " ".repeat(indentFor(shown, width)) });
}

/** Further to the left where the longest word needs it: a digest that is parted cannot be copied. */
function indentFor(text: string, width: number): number {
  const longest = Math.max(...text.split(" ").map((word) => word.length));
  const usual = labelWidth + 2;
  return longest + usual > width && longest + narrowIndent <= width ? narrowIndent : usual;
}

/** A path or a digest beside its label, never parted, so that it can be copied: below the label where it must. */
export function wholeRow(label: string, text: string, width: number): readonly string[] {
  const shown = visibleLine(text);
  const line = label.padEnd(labelWidth) + shown;
  return line.length <= width ? [line] : [label, shown];
}

/** `1 task`, `2 tasks` */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** A fact as text: its value, or why it is not known. */
export function factText(fact: unknown): string | null {
  if (fact === undefined || fact === null) return null;
  if (typeof fact === "string") return fact;
  const reason = valueAt(fact, ["unknown"]);
  return typeof reason === "string" ? `unknown: ${reason}` : JSON.stringify(fact);
}

export function valueAt(value: unknown, keys: readonly string[]): unknown {
  let at = value;
  for (const key of keys) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** The entries of a value that is an object; none of any other. */
export function entriesAt(value: unknown, keys: readonly string[]): readonly [string, unknown][] {
  const at = valueAt(value, keys);
  return typeof at === "object" && at !== null ? Object.entries(at) : [];
}
