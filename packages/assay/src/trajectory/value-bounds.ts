const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const [comma, quotationMark, backslash] = [0x2c, 0x22, 0x5c];

/** Deeper data cannot be stored as inline evidence either. */
const maxDepth = 200;
/** A short text makes many values, and each takes far more memory than its bytes. */
const maxValues = 4_000_000;

/**
 * Why the values of a JSON text would be too many or too deep, told from its bytes alone; null when they are not. Of a
 * text that is no JSON it tells what parsing would make before it stops. `textsAreData`: its strings may hold JSON that
 * is parsed too, and count.
 */
export function whyTooMuch(bytes: Uint8Array, textsAreData: boolean): string | null {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quotationMark) {
      const end = endOfText(bytes, at + 1);
      if (textsAreData) values += marksIn(bytes, at + 1, end);
      at = end;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      values += 1;
      if (depth > maxDepth) return `it is nested more than ${maxDepth} deep`;
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    else if (byte === comma) values += 1;
    if (values > maxValues) return `it holds more than ${maxValues} values`;
  }
  return null;
}

/** Where the text that begins here is closed: at the first mark that no odd number of backslashes stands before. */
function endOfText(bytes: Uint8Array, start: number): number {
  let end = bytes.indexOf(quotationMark, start);
  while (end !== -1) {
    let first = end;
    while (first > start && bytes[first - 1] === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end;
    end = bytes.indexOf(quotationMark, end + 1);
  }
  return bytes.length;
}

function marksIn(bytes: Uint8Array, start: number, end: number): number {
  let marks = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === openBrace || byte === openBracket || byte === comma) marks += 1;
  }
  return marks;
}
