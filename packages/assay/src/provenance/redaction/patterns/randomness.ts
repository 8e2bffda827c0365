/**
 * Whether a value looks made by chance, as keys are, and not by people, as names, paths and code are: it changes often
 * between digits, small and capital letters.
 */
export function looksRandom(value: string): boolean {
  const length = Math.min(value.length, enough);
  let changes = 0;
  let counted = 0;
  let digits = 0;
  let before = punctuation;
  for (let at = 0; at < length; at += 1) {
    const kind = kindAt(value, at);
    if (kind === punctuation) continue;
    counted += 1;
    if (kind === digit) digits += 1;
    if (kind !== before && before !== punctuation) changes += 1;
    before = kind;
  }
  if (digits === counted) return false;
  return changes >= counted * (digits > 0 ? 0.15 : 0.4);
}

/** So many characters tell. */
const enough = 256;
const punctuation = 0;
const digit = 1;
const small = 2;
const capital = 3;

function kindAt(value: string, at: number): number {
  const code = value.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return digit;
  if (code >= 0x61 && code <= 0x7a) return small;
  return code >= 0x41 && code <= 0x5a ? capital : punctuation;
}
