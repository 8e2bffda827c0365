import type { Difference, SideValue } from "../../entries/bundle.ts";
import { cutToWidth, visibleLine, wrapText } from "../../entries/index.ts";
import { valueAt } from "./rows.ts";

/** Columns of a value; `--json` has all of it. */
const maxValue = 300;
/** What two long values begin with alike is left out but for these characters. */
const keptPrefix = 20;

/** A difference on one line where there is room, else each value on a line of its own. */
export function differenceLines(
  { name, a, b }: Difference,
  width: number,
  nameOf = (text: string) => text,
): readonly string[] {
  const shown = visibleLine(nameOf(name));
  const [before, after] = valueTexts(a, b);
  const line = `  ${shown}: ${before} -> ${after}`;
  if (line.length <= width) return [line];
  return [
    ...wrapText(shown, { width, first: "  " }),
    ...wrapText(before, { width, first: "    A ", next: "      " }),
    ...wrapText(after, { width, first: "    B ", next: "      " }),
  ];
}

/** Of so many facts that one bundle does not know for one reason, the reason is told once. */
const fewAlike = 3;

/** Facts that one of the bundles does not know, together where they have one reason; and all others. */
export function partUnknown(differences: readonly Difference[]): {
  readonly alike: readonly string[];
  readonly others: readonly Difference[];
} {
  const groups = new Map<string, Difference[]>();
  for (const one of differences) {
    const because = reasonOf(one);
    if (because !== null) groups.set(because, [...(groups.get(because) ?? []), one]);
  }
  const large = [...groups].filter(([, { length }]) => length >= fewAlike);
  const together = new Set(large.flatMap(([, members]) => members));
  return {
    alike: large.map(
      ([because, members]) =>
        `${because} (${members.length}): ${members.map(({ name }) => name).join(", ")}`,
    ),
    others: differences.filter((one) => !together.has(one)),
  };
}

/** Which bundle does not know it, and why: the later one where neither does. */
function reasonOf({ a, b }: Difference): string | null {
  if (isUnknown(b)) return `unknown in B, ${b.value.unknown}`;
  return isUnknown(a) ? `unknown in A, ${a.value.unknown}` : null;
}

function isUnknown(
  side: SideValue | null,
): side is { readonly value: { readonly unknown: string } } {
  return typeof valueAt(side?.value, ["unknown"]) === "string";
}

function valueTexts(a: SideValue | null, b: SideValue | null): readonly [string, string] {
  const [one, other] = [plainText(a), plainText(b)];
  const isLong = one.length > maxValue || other.length > maxValue;
  const from = isLong ? Math.max(samePrefix(one, other) - keptPrefix, 0) : 0;
  return [sideText(one, a, from), sideText(other, b, from)];
}

function plainText(side: SideValue | null): string {
  if (side === null) return "none";
  const { value } = side;
  if (typeof value === "object" && value !== null && "unknown" in value)
    return `unknown: ${String(value["unknown"])}`;
  return visibleLine(JSON.stringify(value));
}

function sideText(text: string, side: SideValue | null, from: number): string {
  const start = from > 0 ? `...${text.slice(from)}` : text;
  const origin = side?.origin === undefined ? "" : ` (${visibleLine(side.origin)})`;
  return `${cutToWidth(start, maxValue)}${origin}`;
}

function samePrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
