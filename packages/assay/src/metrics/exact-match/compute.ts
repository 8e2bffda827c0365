import { normalizeText } from "../define/normalize-text.ts";

export function exactMatchScore(reference: string, candidate: string): 0 | 1 {
  if (reference === candidate) return 1;
  return normalizeText(reference) === normalizeText(candidate) ? 1 : 0;
}
