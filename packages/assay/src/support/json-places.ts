import { AssayError } from "../errors/assay-error.ts";
import { type JsonPrimitive, parseJson } from "./json.ts";
import { endOfString } from "./json-text.ts";

/** A value of a document and where it stands in its text. */
export type DocumentNode = { readonly start: number; readonly end: number } & (
  | { readonly kind: "object"; readonly members: readonly DocumentMember[] }
  | { readonly kind: "list"; readonly items: readonly DocumentNode[] }
  | { readonly kind: "scalar"; readonly value: string | number | boolean | null }
);

/** A key may stand in an object twice: all of its values are looked at. */
export interface DocumentMember {
  readonly key: string;
  readonly node: DocumentNode;
}

const maxDepth = 200;
const blank = /[\s\uFEFF]*/y;
/** Python writes `NaN` and `Infinity` too. */
const bare = /[A-Za-z0-9+.-]+/y;

/** The values of a JSON text with their places; null for what is none, or is nested too deep. */
export function readJsonPlaces(text: string): DocumentNode | null {
  try {
    return new Reader(text).document();
  } catch (thrown) {
    if (AssayError.isInstance(thrown)) return null;
    throw thrown;
  }
}

/** A key that stands twice in one object of a JSON text, if there is one. */
export function keyTwiceIn(text: string): string | null {
  const root = readJsonPlaces(text);
  return root === null ? null : keyTwiceBelow(root);
}

function keyTwiceBelow(node: DocumentNode): string | null {
  if (node.kind === "scalar") return null;
  const seen = new Set<string>();
  for (const { key } of node.kind === "object" ? node.members : []) {
    if (seen.has(key)) return key;
    seen.add(key);
  }
  const parts = node.kind === "object" ? node.members.map((member) => member.node) : node.items;
  for (const part of parts) {
    const found = keyTwiceBelow(part);
    if (found !== null) return found;
  }
  return null;
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
    const end = endOfString(this.#text, this.#at);
    if (end === -1) throw this.#none();
    this.#at = end;
    return parseJson(this.#text.slice(start, this.#at), "text") as string;
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
