import { isPlainObject } from "../support/json.ts";

/**
 * A value inside text, written as Jinja2 writes it: `True`, `None`, `1.5`, `['a', None]`, `{'a': 1}`.
 * Maps and `undefined` are how the engine hands objects and null to JavaScript.
 */
export function pythonText(value: unknown): string {
  return typeof value === "string" ? value : representation(value);
}

function representation(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") {
    return Number.isSafeInteger(value) ? String(value) : floatText(value);
  }
  if (Array.isArray(value)) return `[${value.map(representation).join(", ")}]`;
  const entries = entriesOf(value);
  if (entries === null) return "None";
  const shown = entries.map(([key, item]) => `${representation(key)}: ${representation(item)}`);
  return `{${shown.join(", ")}}`;
}

function entriesOf(value: unknown): (readonly [unknown, unknown])[] | null {
  if (value instanceof Map) return [...value];
  return isPlainObject(value) ? Object.entries(value) : null;
}

/** Python's `repr` of a float: the same shortest digits as JavaScript, with other limits for the exponent. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const [digits = "", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (value !== 0 && (exponent < -4 || exponent >= 16)) {
    return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  const plain = Object.is(value, -0) ? "-0" : String(value);
  return Number.isInteger(value) ? `${plain}.0` : plain;
}

const named: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};
const unprintable = /[\\\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(unprintable, (character) => named[character] ?? escapeOf(character));
  return `${quote}${quote === "'" ? escaped.replaceAll("'", "\\'") : escaped}${quote}`;
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
