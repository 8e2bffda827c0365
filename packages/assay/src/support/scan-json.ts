import { parseJson } from "./json.ts";

/** Where a value was read to, and what it is. Before, `value` may be what likely stands there. */
export interface Scan {
  end: number;
  value: unknown;
}

/** A longer one is not worth keeping, and left to others. */
const maxTextBytes = 64 * 1024;
const maxNumberBytes = 40;
/** A number of so many digits is exact, and so is each of these powers. */
const maxDigits = 15;
const powersOfTen = Array.from({ length: maxDigits + 1 }, (_, power) => 10 ** power);

const [quote, backslash, digit0, decimalPoint] = [0x22, 0x5c, 0x30, 0x2e];
const [plain, ends, escapes, wide, forbidden] = [0, 1, 2, 3, 4];

/** What a byte is inside of a text. */
const kinds = new Uint8Array(256).map((_, byte) => {
  if (byte === quote) return ends;
  if (byte === backslash) return escapes;
  if (byte < 0x20) return forbidden;
  return byte < 0x80 ? plain : wide;
});

/** Reads a JSON text of valid UTF-8 from behind its first quotation mark up to the last. False for what is none. */
export function scanText(bytes: Buffer, start: number, scan: Scan): boolean {
  let at = start;
  const likely = scan.value;
  if (typeof likely === "string") {
    at += likeness(bytes, start, likely);
    if (at - start === likely.length && bytes[at] === quote) {
      scan.end = at;
      return true;
    }
  }
  let seen = plain;
  const limit = Math.min(bytes.length, start + maxTextBytes);
  for (; at < limit; at += 1) {
    const kind = kinds[bytes[at] as number] as number;
    if (kind === plain) continue;
    if (kind === forbidden) return false;
    if (kind === ends) return setText(bytes, start, { end: at, seen }, scan);
    if (kind === escapes) at += 1;
    // Escapes are less than what is wide: whoever reads escapes reads all.
    seen = seen === escapes ? escapes : kind;
  }
  return false;
}

/** As many bytes as are those of the text, and stand for themselves. */
function likeness(bytes: Buffer, start: number, text: string): number {
  const length = Math.min(text.length, bytes.length - start);
  let same = 0;
  for (; same < length; same += 1) {
    const byte = bytes[start + same] as number;
    if (byte !== text.charCodeAt(same) || kinds[byte] !== plain) break;
  }
  return same;
}

function setText(
  bytes: Buffer,
  start: number,
  { end, seen }: { readonly end: number; readonly seen: number },
  scan: Scan,
): boolean {
  scan.end = end;
  if (seen === plain) scan.value = bytes.toString("latin1", start, end);
  else if (seen === wide) scan.value = bytes.toString("utf8", start, end);
  else return setParsed(bytes.toString("utf8", start - 1, end + 1), scan);
  return true;
}

/** Reads a JSON number. False for what is none. */
export function readNumber(bytes: Buffer, start: number, scan: Scan): boolean {
  const point = digitsEnd(bytes, start);
  const end = bytes[point] === decimalPoint ? digitsEnd(bytes, point + 1) : point;
  if (isOfNumber(bytes[end]) || !isShort(bytes, start, { point, end }))
    return readOddNumber(bytes, start, scan);
  let value = 0;
  for (let at = start; at < end; at += 1)
    if (at !== point) value = value * 10 + (bytes[at] as number) - digit0;
  scan.end = end;
  // Both are exact, so that the quotient is the number that is nearest.
  scan.value = end === point ? value : value / (powersOfTen[end - point - 1] as number);
  return true;
}

interface Digits {
  readonly point: number;
  readonly end: number;
}

/** Whether they make a number that has few digits. */
function isShort(bytes: Buffer, start: number, { point, end }: Digits): boolean {
  const isWhole = point > start && (point === start + 1 || bytes[start] !== digit0);
  return isWhole && end - start <= maxDigits && end !== point + 1;
}

function readOddNumber(bytes: Buffer, start: number, scan: Scan): boolean {
  let at = start;
  while (isOfNumber(bytes[at])) at += 1;
  scan.end = at;
  return at - start <= maxNumberBytes && setParsed(bytes.toString("latin1", start, at), scan);
}

function digitsEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (isDigit(bytes[at])) at += 1;
  return at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= digit0 && byte <= 0x39;
}

/** A digit, a sign, a point or the sign of an exponent. */
function isOfNumber(byte: number | undefined): boolean {
  return (
    isDigit(byte) ||
    byte === decimalPoint ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x65 ||
    byte === 0x45
  );
}

function setParsed(text: string, scan: Scan): boolean {
  try {
    scan.value = parseJson(text, "value");
    return true;
  } catch {
    return false;
  }
}
