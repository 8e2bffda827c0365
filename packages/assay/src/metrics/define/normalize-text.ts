// ASCII punctuation only: other marks are part of the text.
const punctuation = /[!-/:-@[-`{-~]/g;
const article = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;

/** Lower case, without ASCII punctuation and the words a, an, the, white space collapsed (the SQuAD rules). */
export function normalizeText(text: string): string {
  return text
    .toLowerCase()
    .replace(punctuation, "")
    .replace(article, " ")
    .replace(/\s+/g, " ")
    .trim();
}
