import { cutText } from "../../support/cut-text.ts";

const maxLineCharacters = 500;

/** As many lines as a message quotes. */
const quotedLines = 40;

/** The last lines of what a program says, without secrets. */
export class LogTail {
  readonly #redact: (text: string) => string;
  readonly #maxLines: number;
  readonly #lines: string[] = [];

  constructor(redact: (text: string) => string, { maxLines = quotedLines } = {}) {
    this.#redact = redact;
    this.#maxLines = maxLines;
  }

  add(line: string): void {
    // A bar of progress is one line, written over and over.
    const shown = line.split("\r").at(-1) ?? line;
    if (shown.trim() === "") return;
    this.#lines.push(cutText(this.#redact(shown), maxLineCharacters));
    if (this.#lines.length > this.#maxLines) this.#lines.shift();
  }

  /** What a message quotes. */
  get quoted(): string {
    return this.#lines.slice(-quotedLines).join("\n");
  }

  get text(): string {
    return this.#lines.join("\n");
  }
}
