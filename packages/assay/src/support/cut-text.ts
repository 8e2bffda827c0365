/** Stands where a text was cut: redaction looks on both sides of it for the piece of a secret that the cut may have left. */
export const cutMark = "…";

/** The text, or its first characters and the mark. No character is cut in two. */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const isPairCut = /[\ud800-\udbff]/.test(text[maxCharacters - 1] ?? "");
  return `${text.slice(0, isPairCut ? maxCharacters - 1 : maxCharacters)}${cutMark}`;
}
