/**
 * Whether a value looks made by chance, as keys are, and not by people, as names, paths and code are: it changes often
 * between digits, small and capital letters.
 */
export function looksRandom(value: string): boolean {
  let changes = 0;
  let digits = 0;
  let before = kindAt(value, 0);
  for (let at = 0; at < value.length; at += 1) {
    const kind = kindAt(value, at);
    if (kind === digit) digits += 1;
    if (kind !== before) changes += 1;
    before = kind;
  }
  const rate = changes / value.length;
  return digits > 0 ? rate >= 0.25 && digits < value.length : rate >= 0.4;
}

const digit = 1;

function kindAt(value: string, at: number): number {
  const code = value.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return digit;
  if (code >= 0x61 && code <= 0x7a) return 2;
  return code >= 0x41 && code <= 0x5a ? 3 : 4;
}
