import { AssayError } from "../errors/assay-error.ts";
import { isPlainObject, type JsonObject, setOwn } from "./json.ts";

/**
 * The data of a TOML 1.0 document. Dates and times are given as they are written; integers beyond the safe ones as the
 * nearest number. Throws `ASSAY_CONFIG_INVALID` with the line that is wrong.
 */
export function parseToml(text: string, source: string): JsonObject {
  return new TomlReader(text.replaceAll("\r\n", "\n"), source).document();
}

type Table = Record<string, unknown>;

const bareKey = /[A-Za-z0-9_-]+/y;
const number =
  /[+-]?(?:0x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*|0o[0-7](?:_?[0-7])*|0b[01](?:_?[01])*|inf|nan|(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?)(?![\w.:-])/y;
const moment =
  /(?:\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})?)?|\d{2}:\d{2}:\d{2}(?:\.\d+)?)(?![\w.:-])/y;
const blank = /[ \t]*/y;
const blankLines = /(?:[ \t\n]|#[^\n]*)*/y;
const simpleEscapes: Readonly<Record<string, string>> = {
  b: "\b",
  t: "\t",
  n: "\n",
  f: "\f",
  r: "\r",
  '"': '"',
  "\\": "\\",
};
const maxDepth = 100;

class TomlReader {
  readonly #text: string;
  readonly #source: string;
  readonly #root: Table = {};
  /** Tables whose keys may no longer be added to: inline ones, and those that a header named. */
  readonly #closed = new Set<unknown>();
  readonly #inline = new Set<unknown>();
  #at = 0;

  constructor(text: string, source: string) {
    this.#text = text;
    this.#source = source;
  }

  document(): JsonObject {
    let table = this.#root;
    this.#match(blankLines);
    while (this.#at < this.#text.length) {
      if (this.#text[this.#at] === "[") table = this.#header();
      else this.#pair(table);
      this.#endOfLine();
      this.#match(blankLines);
    }
    return this.#root as JsonObject;
  }

  /** `[a.b]` and `[[a.b]]`: the table that the next lines fill. */
  #header(): Table {
    const isList = this.#text.startsWith("[[", this.#at);
    this.#at += isList ? 2 : 1;
    const keys = this.#keys();
    this.#expect(isList ? "]]" : "]");
    const last = keys.pop() ?? "";
    const parent = keys.reduce((table, key) => this.#step(table, key), this.#root);
    const found = this.#own(parent, last);
    if (isList) return this.#nextOfList(parent, last, found);
    if (found === undefined) {
      const table: Table = {};
      setOwn(parent, last, table);
      this.#closed.add(table);
      return table;
    }
    if (!isPlainObject(found) || this.#closed.has(found)) this.#fail(`"${last}" is there already`);
    this.#closed.add(found);
    return found;
  }

  #nextOfList(parent: Table, key: string, found: unknown): Table {
    const list = found ?? [];
    if (!Array.isArray(list) || this.#inline.has(list)) this.#fail(`"${key}" is there already`);
    if (found === undefined) setOwn(parent, key, list);
    const table: Table = {};
    (list as unknown[]).push(table);
    return table;
  }

  /** The table of a key on the way: the last one of a list, or a new one. */
  #step(table: Table, key: string): Table {
    const found = this.#own(table, key);
    const next = Array.isArray(found) && !this.#inline.has(found) ? found.at(-1) : found;
    if (next === undefined) {
      const made: Table = {};
      setOwn(table, key, made);
      return made;
    }
    if (!isPlainObject(next) || this.#inline.has(next)) this.#fail(`"${key}" is no table`);
    return next;
  }

  #pair(table: Table, depth = 0): void {
    const keys = this.#keys();
    this.#expect("=");
    this.#match(blank);
    const last = keys.pop() ?? "";
    const parent = keys.reduce((at, key) => this.#step(at, key), table);
    if (this.#own(parent, last) !== undefined) this.#fail(`"${last}" is there already`);
    setOwn(parent, last, this.#value(depth));
  }

  #keys(): string[] {
    const keys: string[] = [];
    do {
      this.#match(blank);
      const quote = this.#text[this.#at];
      const isQuoted = quote === '"' || quote === "'";
      const key = isQuoted ? this.#string(false) : this.#match(bareKey);
      if (!isQuoted && key === "") this.#fail("a key is missing");
      keys.push(key);
      this.#match(blank);
    } while (this.#take("."));
    return keys;
  }

  #value(depth: number): unknown {
    if (depth > maxDepth) this.#fail("it is nested too deeply");
    const first = this.#text[this.#at];
    if (first === '"' || first === "'") return this.#string(true);
    if (first === "[") return this.#list(depth);
    if (first === "{") return this.#inlineTable(depth);
    if (this.#word("true")) return true;
    if (this.#word("false")) return false;
    const time = this.#match(moment);
    if (time !== "") return time;
    const digits = this.#match(number);
    if (digits === "") this.#fail("a value is missing, or is none");
    return numberOf(digits.replaceAll("_", ""));
  }

  #list(depth: number): unknown[] {
    this.#at += 1;
    const list: unknown[] = [];
    this.#inline.add(list);
    this.#match(blankLines);
    while (!this.#take("]")) {
      list.push(this.#value(depth + 1));
      this.#match(blankLines);
      if (this.#take(",")) this.#match(blankLines);
      else if (this.#text[this.#at] !== "]") this.#fail("a list needs `,` or `]` here");
    }
    return list;
  }

  #inlineTable(depth: number): Table {
    this.#at += 1;
    const table: Table = {};
    this.#match(blank);
    let isDone = this.#take("}");
    while (!isDone) {
      this.#pair(table, depth + 1);
      this.#match(blank);
      isDone = this.#take("}");
      if (!isDone) this.#expect(",");
    }
    this.#close(table);
    return table;
  }

  #close(table: Table): void {
    this.#inline.add(table);
    for (const value of Object.values(table)) {
      if (isPlainObject(value) && !this.#inline.has(value)) this.#close(value);
    }
  }

  #string(mayBeLong: boolean): string {
    const quote = this.#text[this.#at] ?? "";
    const isLong = mayBeLong && this.#text.startsWith(quote.repeat(3), this.#at);
    this.#at += isLong ? 3 : 1;
    if (isLong) this.#take("\n");
    let text = "";
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined || (character === "\n" && !isLong))
        this.#fail("a text has no end");
      if (character === quote && this.#isEndOf(quote, isLong))
        return text + this.#finish(quote, isLong);
      if (character === "\\" && quote === '"') text += this.#escape(isLong);
      else {
        if (/(?![\t\n])\p{Cc}/u.test(character) && character < "\u0080")
          this.#fail("a text holds a control character");
        text += character;
        this.#at += 1;
      }
    }
  }

  #isEndOf(quote: string, isLong: boolean): boolean {
    return !isLong || this.#text.startsWith(quote.repeat(3), this.#at);
  }

  /** Up to two quotes may stand before those that end a long text. */
  #finish(quote: string, isLong: boolean): string {
    this.#at += isLong ? 3 : 1;
    let extra = "";
    while (isLong && extra.length < 2 && this.#take(quote)) extra += quote;
    return extra;
  }

  #escape(isLong: boolean): string {
    const rest = this.#text.slice(this.#at + 1, this.#at + 10);
    const point = /^(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))/.exec(rest);
    if (point !== null) {
      this.#at += 1 + point[0].length;
      const code = Number.parseInt(point[1] ?? point[2] ?? "", 16);
      if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) this.#fail("no such character");
      return String.fromCodePoint(code);
    }
    const lineEnd = /^[ \t]*\n/.exec(this.#text.slice(this.#at + 1));
    if (isLong && lineEnd !== null) {
      this.#at += 1;
      this.#match(/[ \t\n]*/y);
      return "";
    }
    const simple = simpleEscapes[rest[0] ?? ""];
    if (simple === undefined) this.#fail(`"\\${rest[0] ?? ""}" means nothing`);
    this.#at += 2;
    return simple;
  }

  #endOfLine(): void {
    this.#match(/[ \t]*(?:#[^\n]*)?/y);
    if (this.#at < this.#text.length && !this.#take("\n")) this.#fail("the line should end here");
  }

  #own(table: Table, key: string): unknown {
    return Object.hasOwn(table, key) ? table[key] : undefined;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  #word(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    if (/[\w-]/.test(this.#text[this.#at + word.length] ?? "")) return false;
    this.#at += word.length;
    return true;
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #expect(text: string): void {
    this.#match(blank);
    if (!this.#take(text)) this.#fail(`\`${text}\` is missing`);
  }

  #fail(problem: string): never {
    const line = this.#text.slice(0, this.#at).split("\n").length;
    throw new AssayError("ASSAY_CONFIG_INVALID", `${this.#source}, line ${line}: ${problem}`, {
      data: { source: this.#source, line },
    });
  }
}

function numberOf(digits: string): number {
  const sign = digits.startsWith("-") ? -1 : 1;
  const bare = digits.replace(/^[+-]/, "");
  if (bare === "inf") return sign * Number.POSITIVE_INFINITY;
  return bare === "nan" ? Number.NaN : sign * Number(bare);
}
