import { keyTwiceIn } from "./json-places.ts";

// `JSON.parse` takes the last of two equal keys, other readers the first: what holds two says two things. They are found
// by counting. Every text of a JSON document stands in two quotation marks, keys and values alike; of two equal keys
// `JSON.parse` keeps one, so that the value it gives has fewer texts than there are marks for.

const backslash = 0x5c;
/** By byte: 1 for a quotation mark, 2 for a backslash, 0 for all others, which are passed over by one look each. */
const kinds = new Uint8Array(256);
kinds[0x22] = 1;
kinds[backslash] = 2;
/** Deeper data is no data of a bundle, and to walk it could end the process. */
const maxDepth = 1000;

/** Counts the quotation marks of a JSON document that are no part of a text, whatever chunks it comes in. */
export class QuotationMarks {
  count = 0;
  #isEscaped = false;

  add(chunk: Uint8Array): void {
    // Most rows hold no backslash: then every mark counts, and four bytes are looked at at once.
    if (this.#isEscaped || chunk.includes(backslash) || chunk.byteOffset % 4 !== 0)
      this.#addOneByOne(chunk);
    else this.count += marksIn(chunk);
  }

  #addOneByOne(chunk: Uint8Array): void {
    let count = 0;
    let at = this.#isEscaped ? 1 : 0;
    for (; at < chunk.length; at += 1) {
      const kind = kinds[chunk[at] as number];
      if (kind === 0) continue;
      if (kind === 1) count += 1;
      else at += 1;
    }
    this.#isEscaped = at > chunk.length;
    this.count += count;
  }
}

const [fourMarks, lowBits, firstBits] = [0x22222222, 0x7f7f7f7f, 0x01010101];

function marksIn(chunk: Uint8Array): number {
  const words = new Int32Array(chunk.buffer, chunk.byteOffset, chunk.length >> 2);
  let count = 0;
  for (let at = 0; at < words.length; ) {
    // A mark is a zero byte now. Each byte of the sum counts those at its place, and holds 255 of them.
    const end = Math.min(at + 255, words.length);
    let sum = 0;
    for (; at < end; at += 1) {
      const word = (words[at] as number) ^ fourMarks;
      const isZero = ~(((word & lowBits) + lowBits) | word | lowBits);
      sum += (isZero >>> 7) & firstBits;
    }
    count += (sum & 0xff) + ((sum >>> 8) & 0xff) + ((sum >>> 16) & 0xff) + (sum >>> 24);
  }
  for (let at = words.length * 4; at < chunk.length; at += 1) if (chunk[at] === 0x22) count += 1;
  return count;
}

/** The quotation marks that a value has when it is written as JSON without any key twice; null when it is too deep. */
export function quotationMarksOf(value: unknown, depth = 0): number | null {
  if (typeof value === "string") return 2;
  if (typeof value !== "object" || value === null) return 0;
  if (depth > maxDepth) return null;
  let count = 0;
  const isArray = Array.isArray(value);
  // Only own keys, for the value comes from `JSON.parse`.
  for (const key in value) {
    const inner = quotationMarksOf((value as Record<string, unknown>)[key], depth + 1);
    if (inner === null) return null;
    count += isArray ? inner : inner + 2;
  }
  return count;
}

/** The same of a value however deep it is: a list of what is still to be counted takes the place of the calls. */
function quotationMarksOfDeep(value: unknown): number {
  let count = 0;
  const left = [value];
  while (left.length > 0) {
    const item = left.pop();
    if (typeof item === "string") count += 2;
    if (typeof item !== "object" || item === null) continue;
    const values: readonly unknown[] = Object.values(item);
    if (!Array.isArray(item)) count += values.length * 2;
    for (const inner of values) left.push(inner);
  }
  return count;
}

/**
 * What is wrong with JSON text that says two things, or is too deep for a bundle; null when nothing is. `value` is what
 * `JSON.parse` made of it.
 */
export function whyTwofold(bytes: Uint8Array, value: unknown): string | null {
  const expected = quotationMarksOf(value);
  return expected === null
    ? `it is nested deeper than ${maxDepth} levels`
    : whyMoreThan(expected, bytes);
}

/** The same of text that may be of any depth. */
export function whyKeyTwice(bytes: Uint8Array, value: unknown): string | null {
  return whyMoreThan(quotationMarksOf(value) ?? quotationMarksOfDeep(value), bytes);
}

/** Whether anything is wrong with it in the eyes of `whyTwofold`. */
export function holdsKeyTwice(bytes: Uint8Array, value: unknown): boolean {
  return marksOf(bytes) !== quotationMarksOf(value);
}

function marksOf(bytes: Uint8Array): number {
  const marks = new QuotationMarks();
  marks.add(bytes);
  return marks.count;
}

function whyMoreThan(expectedMarks: number, bytes: Uint8Array): string | null {
  if (marksOf(bytes) === expectedMarks) return null;
  const key = keyTwiceIn(new TextDecoder().decode(bytes));
  return key === null
    ? "a key of an object stands in it twice"
    : `the key ${JSON.stringify(key)} of an object stands in it twice`;
}
