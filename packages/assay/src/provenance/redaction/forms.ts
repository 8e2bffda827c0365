/** One place of a form: the spellings that may stand there. */
export type Unit = readonly string[];

/** One way to write a secret down, unit after unit. */
export type Form = readonly Unit[];

/** How a character itself is spelt in what is searched: as text, or as its UTF-8 bytes read as Latin-1. */
export type Spelling = (character: string) => string;

export const asText: Spelling = (character) => character;
export const asBytes: Spelling = (character) => Buffer.from(character, "utf8").toString("latin1");

/** Encoders differ in the other characters; these they leave alone, or they encode everything. */
const neverEncoded = /^[A-Za-z0-9_.-]$/;
const alwaysPercentEncoded = /^["\\\p{Cc}]$/u;
/** A shorter piece of hex or base64 says too little and stands in innocent text. */
const minEncodedLength = 8;
/** A stored JSON text is escaped once more than the values in it, where two levels are looked for. */
const jsonLevels = 3;

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/**
 * Every form of a value that is looked for: raw, JSON-escaped (with and without `\/` and `\u`), percent-encoded, hex,
 * base64 and base64url at each of the three alignments.
 */
export function formsOf(value: string, spell: Spelling): readonly Form[] {
  const bytes = Buffer.from(value, "utf8");
  const characters = [...value];
  const forms: Form[] = [
    characters.map((character) => [spell(character)]),
    unitsOf(characters, (character) => percentUnit(character, spell)),
    [...bytes].map((byte) => bothCases(`%${hexByte(byte)}`)),
    ...jsonForms(value, spell),
    ...[[...bytes].map((byte) => bothCases(hexByte(byte))), ...base64Forms(bytes)].filter(
      (form) => form.length > 0 && minLength(form) >= minEncodedLength,
    ),
  ];
  return [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()];
}

export function minLength(form: Form): number {
  return form.reduce((sum, unit) => sum + Math.min(...unit.map((text) => text.length)), 0);
}

export function maxLength(form: Form): number {
  return form.reduce((sum, unit) => sum + Math.max(...unit.map((text) => text.length)), 0);
}

/** Each character's unit, made once. */
function unitsOf(characters: readonly string[], unitOf: (character: string) => Unit): Form {
  const units = new Map(
    [...new Set(characters)].map((character) => [character, unitOf(character)]),
  );
  return characters.map((character) => units.get(character) ?? []);
}

function percentUnit(character: string, spell: Spelling): Unit {
  if (neverEncoded.test(character)) return [character];
  const encoded = [...Buffer.from(character, "utf8")].map((byte) => `%${hexByte(byte)}`).join("");
  const spellings = [...bothCases(encoded.replaceAll("%", "%25")), ...bothCases(encoded)];
  if (character === " ") spellings.push("+");
  else if (!alwaysPercentEncoded.test(character)) spellings.push(spell(character));
  return spellings;
}

function jsonForms(value: string, spell: Spelling): Form[] {
  const forms: Form[] = [];
  for (let level = 1; level <= jsonLevels; level += 1) {
    forms.push(unitsOf([...value], (character) => jsonUnit(character, level, spell)));
    const backslashes = "\\".repeat(2 ** (level - 1));
    forms.push(
      codeUnits(value).map((unit) => bothCases(unit).map((hex) => `${backslashes}u${hex}`)),
    );
  }
  return forms;
}

function jsonUnit(character: string, level: number, spell: Spelling): Unit {
  let spellings = new Set([character]);
  for (let done = 0; done < level; done += 1) {
    spellings = new Set(
      [...spellings].flatMap((text) =>
        text === character ? firstEscapes(text) : laterEscapes(text),
      ),
    );
  }
  const spelt = [...spellings].map((text) => (text === character ? spell(text) : text));
  return spelt.sort((a, b) => b.length - a.length);
}

function firstEscapes(character: string): string[] {
  if (neverEncoded.test(character)) return [character];
  const units = codeUnits(character)
    .map((unit) => `\\u${unit}`)
    .join("");
  const escaped = bothCases(units, "\\U", "\\u");
  if (character === "/") return [...escaped, "\\/", "/"];
  const short = shortEscapes[character];
  if (short !== undefined) return [...escaped, short];
  return /\p{Cc}/u.test(character) && character < " " ? escaped : [...escaped, character];
}

/** The next level of what is escaped already: ASCII with backslashes. */
function laterEscapes(text: string): string[] {
  const escaped = text.replace(/[\\"]/g, "\\$&");
  return text.endsWith("/") ? [escaped, `${escaped.slice(0, -1)}\\/`] : [escaped];
}

function base64Forms(bytes: Buffer): Form[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const whole = encoded.slice(
      Math.ceil((8 * before) / 6),
      Math.floor((8 * (before + bytes.length)) / 6),
    );
    return unitsOf([...whole], base64Unit);
  });
}

function base64Unit(character: string): Unit {
  if (character !== "+" && character !== "/") return [character];
  const url = character === "+" ? "-" : "_";
  return [
    ...new Set([
      ...jsonUnit(character, jsonLevels, asText),
      ...percentUnit(character, asText),
      url,
    ]),
  ];
}

function codeUnits(text: string): string[] {
  return text.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

function hexByte(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

/** Hexadecimal digits in both cases; `wrong` is what upper-casing spoils and `right` is what it should be. */
function bothCases(hex: string, wrong = "", right = ""): string[] {
  const upper = wrong === "" ? hex.toUpperCase() : hex.toUpperCase().replaceAll(wrong, right);
  return upper === hex ? [hex] : [hex, upper];
}
