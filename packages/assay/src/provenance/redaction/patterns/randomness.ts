/**
 * Whether a value looks made by chance, as keys are, and not by people, as names, paths and code are: it changes often
 * between digits, small and capital letters, and is not made of words.
 */
export function looksRandom(value: string): boolean {
  const length = Math.min(value.length, enough);
  let changes = 0;
  let counted = 0;
  let digits = 0;
  let capitals = 0;
  let before = punctuation;
  for (let at = 0; at < length; at += 1) {
    const kind = kindAt(value, at);
    if (kind === punctuation) continue;
    counted += 1;
    if (kind === digit) digits += 1;
    else if (kind === capital) capitals += 1;
    if (kind !== before && before !== punctuation) changes += 1;
    before = kind;
  }
  if (digits === counted || changes < counted * (digits > 0 ? 0.15 : 0.3)) return false;
  return capitals === 0 || !isCamelCase(value.slice(0, length), counted);
}

/** Whether a name is put together of words, numbers and versions: `learn-contrib-2024-notes`. */
function looksComposed(name: string): boolean {
  let plain = 0;
  let counted = 0;
  for (const part of name.slice(0, enough).split(/[-_]+/)) {
    counted += part.length;
    if (/^(?:[A-Z]?[a-z]+|[A-Z]+|\d{1,4})$/.test(part)) plain += part.length;
  }
  return plain >= counted / 2;
}

/** The stricter of the two looks, for what stands where any word may stand. */
export function isByChance(value: string): boolean {
  return looksRandom(value) && !looksComposed(value);
}

/** So many characters tell. */
const enough = 256;
const punctuation = 0;
const digit = 1;
const small = 2;
const capital = 3;

/** `ChatCompletionChunk2Delta`: nearly all of it is words, of four letters and more as a rule. */
function isCamelCase(value: string, counted: number): boolean {
  let words = 0;
  let letters = 0;
  for (const [word] of value.matchAll(/[A-Z]?[a-z]{3,}/g)) {
    words += 1;
    letters += word.length;
  }
  if (letters >= counted * 0.85 && letters >= words * 4) return true;
  const parts = value.match(/[A-Z]?[a-z]{2,}|[A-Za-z0-9]+/g) ?? [];
  return counted >= parts.length * 4 && parts.every((part) => /^[A-Z]?[a-z]{2,}$/.test(part));
}

function kindAt(value: string, at: number): number {
  const code = value.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return digit;
  if (code >= 0x61 && code <= 0x7a) return small;
  return code >= 0x41 && code <= 0x5a ? capital : punctuation;
}
