import { normalizeText } from "../define/normalize-text.ts";

/** Harmonic mean of precision and recall over the multiset of tokens. */
export function f1Score(reference: string, candidate: string): number {
  const expected = tokensOf(reference);
  const given = tokensOf(candidate);
  if (expected.length === 0 || given.length === 0) return expected.length === given.length ? 1 : 0;
  const shared = overlap(expected, given);
  if (shared === 0) return 0;
  const precision = shared / given.length;
  const recall = shared / expected.length;
  return (2 * precision * recall) / (precision + recall);
}

function tokensOf(text: string): string[] {
  const normal = normalizeText(text);
  return normal === "" ? [] : normal.split(" ");
}

function overlap(expected: readonly string[], given: readonly string[]): number {
  const left = new Map<string, number>();
  for (const token of expected) left.set(token, (left.get(token) ?? 0) + 1);
  let shared = 0;
  for (const token of given) {
    const count = left.get(token) ?? 0;
    if (count > 0) shared += 1;
    left.set(token, count - 1);
  }
  return shared;
}
