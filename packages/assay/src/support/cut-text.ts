/** Stands where a text was cut: redaction looks on both sides of it for the piece of a secret that the cut may have left. */
export const cutMark = "…";

/** Shows what a text that is not as it should be holds: its first characters, quoted. */
export function beginningOf(text: string): string {
  return text.trim() === "" ? "it is empty" : `it begins with ${JSON.stringify(cutText(text, 80))}`;
}

/** The text, or its first characters and the mark. No character is cut in two. */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const isPairCut = /[\ud800-\udbff]/.test(text[maxCharacters - 1] ?? "");
  return `${text.slice(0, isPairCut ? maxCharacters - 1 : maxCharacters)}${cutMark}`;
}
