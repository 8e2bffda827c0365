import { parseJson } from "./json.ts";

/** Where a value was read to, and what it is. Before, `value` may be what likely stands there. */
export interface Scan {
  end: number;
  value: unknown;
}

/** A longer one is not worth keeping, and left to others. */
const maxTextBytes = 64 * 1024;
const maxNumberBytes = 40;
/** Of so many digits every number is exact. */
const maxDigits = 15;

const [quote, backslash, digit0] = [0x22, 0x5c, 0x30];
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
  let at = start;
  let value = 0;
  for (; isDigit(bytes[at]); at += 1) value = value * 10 + (bytes[at] as number) - digit0;
  const digits = at - start;
  const isShort = digits > 0 && digits <= maxDigits && (digits === 1 || bytes[start] !== digit0);
  if (isShort && !isOfNumber(bytes[at])) {
    scan.end = at;
    scan.value = value;
    return true;
  }
  while (isOfNumber(bytes[at])) at += 1;
  scan.end = at;
  return at - start <= maxNumberBytes && setParsed(bytes.toString("latin1", start, at), scan);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= digit0 && byte <= 0x39;
}

/** A digit, a sign, a point or the sign of an exponent. */
function isOfNumber(byte: number | undefined): boolean {
  return (
    isDigit(byte) ||
    byte === 0x2e ||
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
