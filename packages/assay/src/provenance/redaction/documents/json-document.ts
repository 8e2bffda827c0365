import { AssayError } from "../../../errors/assay-error.ts";
import { type JsonPrimitive, parseJson } from "../../../support/json.ts";
import type { DocumentMember, DocumentNode } from "./document-node.ts";

const maxDepth = 200;
const blank = /[\s\uFEFF]*/y;
/** Python writes `NaN` and `Infinity` too. */
const bare = /[A-Za-z0-9+.-]+/y;

/** The values of a JSON text with their places; null for what is none, or is nested too deep. */
export function readJsonDocument(text: string): DocumentNode | null {
  try {
    return new Reader(text).document();
  } catch (thrown) {
    if (AssayError.isInstance(thrown)) return null;
    throw thrown;
  }
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): DocumentNode {
    const node = this.#value(0);
    if (this.#at < this.#text.length) throw this.#none();
    return node;
  }

  #value(depth: number): DocumentNode {
    if (depth > maxDepth) throw this.#none();
    this.#match(blank);
    const start = this.#at;
    const first = this.#text[start];
    const part =
      first === "{" ? this.#object(depth) : first === "[" ? this.#list(depth) : this.#scalar();
    const node = { ...part, start, end: this.#at };
    this.#match(blank);
    return node;
  }

  #object(depth: number) {
    const members: DocumentMember[] = [];
    this.#sequence("}", () => {
      this.#match(blank);
      const key = this.#string();
      this.#match(blank);
      if (!this.#take(":")) throw this.#none();
      members.push({ key, node: this.#value(depth + 1) });
    });
    return { kind: "object", members } as const;
  }

  #list(depth: number) {
    const items: DocumentNode[] = [];
    this.#sequence("]", () => {
      items.push(this.#value(depth + 1));
    });
    return { kind: "list", items } as const;
  }

  #sequence(end: string, part: () => void): void {
    this.#at += 1;
    this.#match(blank);
    if (this.#take(end)) return;
    do part();
    while (this.#take(","));
    if (!this.#take(end)) throw this.#none();
  }

  #scalar() {
    const value = this.#text[this.#at] === '"' ? this.#string() : this.#bareValue();
    return { kind: "scalar", value } as const;
  }

  #string(): string {
    const start = this.#at;
    if (!this.#take('"')) throw this.#none();
    let end = start;
    do end = this.#text.indexOf('"', end + 1);
    while (end !== -1 && this.#isEscaped(end, start));
    if (end === -1) throw this.#none();
    this.#at = end + 1;
    return parseJson(this.#text.slice(start, this.#at), "text") as string;
  }

  #isEscaped(at: number, start: number): boolean {
    let first = at;
    while (first > start && this.#text[first - 1] === "\\") first -= 1;
    return (at - first) % 2 === 1;
  }

  #bareValue(): JsonPrimitive {
    const spelt = this.#match(bare);
    if (spelt === "") throw this.#none();
    if (spelt === "true" || spelt === "false") return spelt === "true";
    if (spelt === "null") return null;
    return Number.isFinite(Number(spelt)) ? Number(spelt) : spelt;
  }

  #take(mark: string): boolean {
    if (this.#text[this.#at] !== mark) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #none(): AssayError {
    return new AssayError("ASSAY_CONFIG_INVALID", `no JSON at ${this.#at}`);
  }
}
