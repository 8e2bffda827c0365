/** Blanks and quotes between a name and its value are not more than that, indentation included. */
const maxBlanks = 80;

/** Where what stands before a place begins: at most so many characters of a kind. */
export function skipBack(
  text: string,
  from: number,
  isSkipped: (code: number) => boolean,
  most: number,
): number {
  const least = Math.max(0, from - most);
  let at = from;
  while (at > least && isSkipped(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

/** The same for blanks, quotes, and line ends and tabs that are escaped. */
export function skipBlanks(text: string, from: number): number {
  const least = Math.max(0, from - maxBlanks);
  let at = from;
  for (;;) {
    while (at > least && isBlankOrQuote(text.charCodeAt(at - 1))) at -= 1;
    if (at <= least || !isLineEscape(text, at)) return at;
    at -= 2;
  }
}

export function isBlankOrQuote(code: number): boolean {
  return (
    code === 0x22 || code === 0x27 || code === 0x5c || code === 0x20 || (code >= 9 && code <= 13)
  );
}

/** `\n`, `\r` or `\t` right before a place. */
export function isLineEscape(text: string, at: number): boolean {
  if (text.charCodeAt(at - 2) !== 0x5c) return false;
  const code = text.charCodeAt(at - 1);
  return code === 0x6e || code === 0x72 || code === 0x74;
}

/** Of `:`, `=`, `:=` and `=>`. */
export function isOperator(code: number): boolean {
  return code === 0x3a || code === 0x3d || code === 0x3e;
}

export function isOfName(code: number): boolean {
  const lower = code | 0x20;
  return (
    (lower >= 0x61 && lower <= 0x7a) ||
    isDigit(code) ||
    code === 0x5f ||
    code === 0x2d ||
    code === 0x2e
  );
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
