/**
 * What a terminal or a reader's eye would act upon instead of showing: C0 and C1 controls, marks that reorder text,
 * line separators, characters without a shape, tag characters, halves of surrogate pairs.
 */
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this finds
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/gu;

const lineBreaks = /\r\n?/g;

/**
 * Text of agents and tools, safe to show to people: control characters are written out (`\x1b`, `\u202e`, `\ud800`),
 * never sent raw. Line feeds and tabs stay.
 */
export function visibleText(text: string): string {
  return text
    .replace(lineBreaks, "\n")
    .replace(unsafe, (character) =>
      character === "\n" || character === "\t" ? character : written(character),
    );
}

/** The same on one line: line feeds and tabs are written out too (`\n`, `\t`). */
export function visibleLine(text: string): string {
  return text.replace(unsafe, written);
}

/** A JSON text of the same value: what stands raw in its strings is escaped as JSON has it (`\u202e`). */
export function visibleJson(text: string): string {
  // Only line feeds stand between the tokens of a document; in its strings they are escaped already.
  return text.replace(unsafe, (character) =>
    character === "\n" ? character : [...units(character)].join(""),
  );
}

function* units(character: string): Generator<string> {
  for (let at = 0; at < character.length; at += 1)
    yield `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
}

function written(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  if (character === "\r") return "\\r";
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\u{${hex}}`;
}
