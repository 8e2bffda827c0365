let segmenter: Intl.Segmenter | null = null;

/** What is drawn as one character. The tables behind it cost milliseconds, which only text beyond ASCII is worth. */
function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

const plain = /^[\x20-\x7e]*$/;

/** Characters of two columns: East Asian Wide and Fullwidth (Unicode 16), and what is drawn as an emoji. */
const wide =
  /^[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4dc0-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2fb}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}\p{Emoji_Presentation}\p{RI}]|\ufe0f/u;

const invisible = /^[\p{M}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+$/u;

/** Columns that a terminal draws a line of text in. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmentsOf(text)) width += characterWidth(segment);
  return width;
}

function characterWidth(character: string): number {
  if (invisible.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

const ellipsis = "...";
/** More code units than any column of text that is worth showing has. */
const unitsPerColumn = 16;

/**
 * At most `limit` columns, with `...` in the place of what was left out: the beginning and the end stay, since names
 * tell apart by their ends.
 */
export function cutToWidth(text: string, limit: number): string {
  if (!isWider(text, limit)) return text;
  const kept = Math.max(limit - ellipsis.length, 0);
  const tail = Math.floor(kept / 2);
  const reach = limit * unitsPerColumn;
  const head = charactersOf(text.slice(0, reach));
  const end = charactersOf(text.slice(-reach)).reverse();
  return [...firstColumns(head, kept - tail), ellipsis, ...firstColumns(end, tail).reverse()].join(
    "",
  );
}

/** Told by the length alone where that is enough, however long the text is. */
function isWider(text: string, columns: number): boolean {
  return text.length > columns * unitsPerColumn || displayWidth(text) > columns;
}

function charactersOf(text: string): string[] {
  if (plain.test(text)) return [...text];
  return Array.from(segmentsOf(text), ({ segment }) => segment);
}

function firstColumns(characters: readonly string[], limit: number): string[] {
  let width = 0;
  const end = characters.findIndex((character) => {
    width += characterWidth(character);
    return width > limit;
  });
  return characters.slice(0, end < 0 ? characters.length : end);
}

export interface WrapOptions {
  /** Columns that a line may take. */
  readonly width: number;
  /** What the first line begins with. */
  readonly first?: string;
  /** What further lines begin with. Default: spaces, as many as `first` is wide. */
  readonly next?: string;
}

/** Parts a line of text at its spaces into lines that fit; a word that fits on none is parted where a line ends. */
export function wrapText(
  text: string,
  { width, first = "", next = " ".repeat(displayWidth(first)) }: WrapOptions,
): string[] {
  const lines: string[] = [];
  let prefix = first;
  let line = "";
  let room = Math.max(width - displayWidth(first), 1);
  const endLine = () => {
    lines.push((prefix + line).replace(/ +$/, ""));
    prefix = next;
    line = "";
    room = Math.max(width - displayWidth(next), 1);
  };
  for (const [index, word] of text.split(" ").entries()) {
    const spaced = index === 0 ? word : ` ${word}`;
    if (!isWider(spaced, room) && displayWidth(line) + displayWidth(spaced) <= room) {
      line += spaced;
      continue;
    }
    if (line !== "") endLine();
    line = word;
    while (isWider(line, room)) {
      const rest = line;
      line = startOf(rest, room);
      const { length } = line;
      endLine();
      line = rest.slice(length);
    }
  }
  endLine();
  return lines;
}

/** The columns that fit, but at least one character. */
function startOf(text: string, columns: number): string {
  const characters = charactersOf(text.slice(0, columns * unitsPerColumn));
  const start = firstColumns(characters, columns);
  return (start.length === 0 ? characters.slice(0, 1) : start).join("");
}
