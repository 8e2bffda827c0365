/** Stands where a text was cut: redaction looks on both sides of it for the piece of a secret that the cut may have left. */
export const cutMark = "…";

/** The text, or its first characters and the mark. */
export function cutText(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}${cutMark}`;
}
