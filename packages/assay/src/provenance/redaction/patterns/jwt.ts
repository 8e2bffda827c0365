import type { CharacterRuns } from "./character-runs.ts";

const minHeader = 11;
/** What follows the header: payload and signature, or the four more parts of an encrypted one. */
const rest = /\.[\w-]{8,16384}\.[\w-]{16,1024}(?:\.[\w-]{0,16384}){0,2}/y;

/** JSON Web Tokens of one text. What follows a header is read once, however many seem to begin before it. */
export class WebTokens {
  readonly #text: string;
  readonly #runs: CharacterRuns;
  #headerEnd = -1;
  #end = -1;

  constructor(text: string, runs: CharacterRuns) {
    this.#text = text;
    this.#runs = runs;
  }

  /** The end of the token whose header begins at a place; -1 when there is none. */
  endAt(at: number): number {
    const headerEnd = this.#runs.endAt(at, "token");
    if (headerEnd - at < minHeader) return -1;
    if (headerEnd !== this.#headerEnd) {
      this.#headerEnd = headerEnd;
      rest.lastIndex = headerEnd;
      this.#end = rest.test(this.#text) ? rest.lastIndex : -1;
    }
    return this.#end;
  }
}
