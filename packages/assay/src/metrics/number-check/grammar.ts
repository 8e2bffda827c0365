/** How numbers are written in text. */
export const grammars = ["observed", "extended"] as const;
export type Grammar = (typeof grammars)[number];

/** The last number of a text, or NaN when there is none or it has more than one decimal point. */
export function lastNumber(text: string, grammar: Grammar): number {
  return grammar === "observed" ? lastPlain(text) : lastExtended(text);
}

/** A sign, then any run of dots and digits that ends in a digit. */
function lastPlain(text: string): number {
  const written = text.match(/[-+]?[.0-9]*[0-9]/g)?.at(-1);
  return written === undefined || hasSeveralPoints(written) ? Number.NaN : Number(written);
}

function hasSeveralPoints(written: string): boolean {
  return written.indexOf(".") !== written.lastIndexOf(".");
}

const sign = "[-+\\u2212]";
const grouped = "[0-9]{1,3}(?:[,\\u00a0\\u202f][0-9]{3})+(?![0-9])";
const extended = new RegExp(
  `(?<sign>(?<![\\p{L}\\p{N}.])${sign})?` +
    `(?<digits>(?:${grouped}|[0-9]+)(?:\\.+[0-9]+)*|(?:\\.+[0-9]+)+)` +
    `(?:[eE](?<exponent>${sign}?[0-9]+)(?![\\p{L}\\p{N}]))?` +
    "(?<percent>\\s?%)?",
  "gu",
);

/**
 * Also knows thousands separators (comma and no-break spaces), exponents, percent (`50%` is 0.5) and the Unicode minus.
 * A hyphen after a letter or digit is no sign, so `2024-01-15` ends in 15 and `10-20` in 20.
 */
function lastExtended(text: string): number {
  const found = [...text.matchAll(extended)].at(-1)?.groups;
  if (found === undefined) return Number.NaN;
  const { sign: minus = "", digits = "", exponent = "0", percent } = found;
  if (hasSeveralPoints(digits)) return Number.NaN;
  const shift = Number(exponent.replace("\u2212", "-")) - (percent === undefined ? 0 : 2);
  const size = Number(`${digits.replace(/[,\u00a0\u202f]/g, "")}e${shift}`);
  return minus === "-" || minus === "\u2212" ? -size : size;
}
