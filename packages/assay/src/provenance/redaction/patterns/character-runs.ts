/** Of which characters the tails of tokens are made. */
export const alphabets = {
  word: "A-Za-z0-9",
  token: "A-Za-z0-9_-",
  dotted: "A-Za-z0-9_.~-",
  hex: "0-9a-f",
  capital: "A-Z0-9",
  base64: "A-Za-z0-9+/=",
  anyBase64: "A-Za-z0-9+/=_-",
  padded: "A-Za-z0-9_=-",
  slack: "A-Za-z0-9.%_-",
} as const;

export type Alphabet = keyof typeof alphabets;

const members = new Map(
  Object.entries(alphabets).map(([name, ranges]) => [name as Alphabet, tableOf(ranges)]),
);

/**
 * Where runs of an alphabet end in one text. Neighbouring places are asked one after the other, and share what was found:
 * however many tokens seem to begin in a run, it is read once.
 */
export class CharacterRuns {
  readonly #text: string;
  readonly #seen = new Map<Alphabet, { from: number; end: number }>();

  constructor(text: string) {
    this.#text = text;
  }

  /** The end of the run that a place stands in; the place itself when its character is none of the alphabet's. */
  endAt(at: number, alphabet: Alphabet): number {
    const seen = this.#seen.get(alphabet);
    if (seen !== undefined && at >= seen.from && at < seen.end) return seen.end;
    const table = members.get(alphabet);
    let end = at;
    while (table?.[this.#text.charCodeAt(end)] === 1) end += 1;
    this.#seen.set(alphabet, { from: at, end });
    return end;
  }
}

function tableOf(ranges: string): Uint8Array {
  const pattern = new RegExp(`[${ranges}]`);
  return Uint8Array.from({ length: 128 }, (_, code) =>
    pattern.test(String.fromCharCode(code)) ? 1 : 0,
  );
}
