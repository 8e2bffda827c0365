import { closest, distance } from "fastest-levenshtein";

/** `timeoutS` → `timeout_s`. Digits stay with the word before them. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The known name that was probably meant, or null. Case and the two spellings `aB`, `a_b`, `a-b` count as equal. */
export function suggestName(given: string, known: readonly string[]): string | null {
  if (known.length === 0) return null;
  const plain = (name: string) => name.toLowerCase().replace(/[_-]/g, "");
  const same = known.find((name) => plain(name) === plain(given));
  if (same !== undefined) return same;
  const best = closest(given, known as string[]);
  return distance(given, best) <= Math.max(best.length > 3 ? 2 : 1, Math.floor(best.length / 3))
    ? best
    : null;
}

/** ` (did you mean "x"?)`, or an empty string. */
export function didYouMean(given: string, known: readonly string[]): string {
  const name = suggestName(given, known);
  return name === null ? "" : ` (did you mean "${name}"?)`;
}

/** `a, b, and 3 more`: the first of them, and how many are left out. */
export function listNames(names: readonly string[], most: number): string {
  const more = names.length > most ? `, and ${names.length - most} more` : "";
  return `${names.slice(0, most).join(", ")}${more}`;
}
