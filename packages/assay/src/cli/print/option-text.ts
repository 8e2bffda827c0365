import { entriesAt, factText, row, valueAt } from "./rows.ts";

/** Characters of a value; `--json` has all of them. */
const maxValue = 600;

/** The options of a target: those that were set, each with the origin of its value, then those that were not. */
export function optionLines(
  config: Readonly<Record<string, unknown>>,
  originOf: (name: string) => string | undefined,
  width: number,
): readonly string[] {
  const all = Object.entries(config).map(([name, value]) => ({
    text: `${name} = ${valueText(value)}`,
    origin: originOf(name),
  }));
  const set = all.filter(({ origin }) => origin !== "default");
  const defaults = all.filter(({ origin }) => origin === "default").map(({ text }) => text);
  return [
    ...set.flatMap(({ text, origin }, index) =>
      row(index === 0 ? "options" : "", origin === undefined ? text : `${text} (${origin})`, width),
    ),
    ...row("defaults", defaults.length === 0 ? null : defaults.join(", "), width),
  ];
}

/** Where an option came from, and each part of it that was set by itself; undefined where nothing says so. */
export function originText(origins: unknown, name: string): string | undefined {
  const own = factText(valueAt(origins, [name])) ?? undefined;
  const parts = entriesAt(origins, [])
    .filter(([place]) => place.startsWith(`${name}.`))
    .map(([place, origin]) => `${place.slice(name.length + 1)}: ${origin}`);
  return parts.length === 0 ? own : [own, ...parts].join(", ");
}

/** JSON with a space between its parts, where a line may end. */
function valueText(value: unknown): string {
  const text = (JSON.stringify(value, null, 1) ?? "undefined").replace(/\n\s*/g, " ");
  return text.length <= maxValue ? text : `${text.slice(0, maxValue)} ...`;
}
