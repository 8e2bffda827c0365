// Rows are kept as columns of numbers in fixed-size chunks: a million of them cost a few bytes each, nothing for the
// garbage collector to visit, and no copy when they grow. Only the first chunk grows: there may be 100,000 columns of one
// number each.

const chunkBits = 12;
const chunkLength = 1 << chunkBits;
const chunkMask = chunkLength - 1;
const firstLength = 8;

type Numbers = Float64Array | Int32Array | Uint32Array | Uint8Array;
type NumbersOf = new (length: number) => Numbers;

/** A list of numbers that only grows. */
export interface Column {
  readonly length: number;
  push(value: number): void;
  at(index: number): number;
  toArray(): Float64Array;
}

export function createColumn(Type: NumbersOf): Column {
  const chunks: Numbers[] = [];
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      const index = length >>> chunkBits;
      const offset = length & chunkMask;
      let chunk = chunks[index];
      if (chunk === undefined || offset === chunk.length) {
        chunk = grown(chunk, Type, index === 0 ? Math.max(firstLength, offset * 2) : chunkLength);
        chunks[index] = chunk;
      }
      chunk[offset] = value;
      length += 1;
    },
    at: (index) => chunks[index >>> chunkBits]?.[index & chunkMask] ?? Number.NaN,
    toArray() {
      const array = new Float64Array(length);
      for (const [index, chunk] of chunks.entries()) {
        const start = index << chunkBits;
        array.set(chunk.subarray(0, length - start), start);
      }
      return array;
    },
  };
}

function grown(chunk: Numbers | undefined, Type: NumbersOf, length: number): Numbers {
  const larger = new Type(length);
  if (chunk !== undefined) larger.set(chunk);
  return larger;
}

/** A list of texts that only grows, kept as bytes. Any text comes back as it was, lone surrogates included. */
export interface TextColumn {
  push(text: string): void;
  at(index: number): string;
}

const blockBits = 16;
const blockSize = 1 << blockBits;
const wordSize = 4;

export function createTextColumn(): TextColumn {
  const blocks: Buffer[] = [];
  // In words, so that 32 bits reach 16 GiB.
  const addresses = createColumn(Uint32Array);
  let used = blockSize;
  return {
    push(text) {
      const encoding = isLatin1(text) ? "latin1" : "utf16le";
      const size = encoding === "latin1" ? text.length : text.length * 2;
      if (used + wordSize + size > blockSize) {
        blocks.push(Buffer.allocUnsafe(Math.max(blockSize, wordSize + size)));
        used = 0;
      }
      const block = blocks[blocks.length - 1];
      block?.writeUInt32LE(size * 2 + (encoding === "latin1" ? 0 : 1), used);
      block?.write(text, used + wordSize, encoding);
      addresses.push(((blocks.length - 1) * blockSize + used) / wordSize);
      used += wordSize + Math.ceil(size / wordSize) * wordSize;
    },
    at(index) {
      const address = addresses.at(index) * wordSize;
      const block = blocks[Math.floor(address / blockSize)];
      if (block === undefined) return "";
      const start = (address % blockSize) + wordSize;
      const header = block.readUInt32LE(address % blockSize);
      return block.toString(header % 2 === 0 ? "latin1" : "utf16le", start, start + (header >>> 1));
    },
  };
}

function isLatin1(text: string): boolean {
  for (let index = 0; index < text.length; index += 1)
    if (text.charCodeAt(index) > 0xff) return false;
  return true;
}

/** Numbers texts in the order in which they are first seen. */
export interface Interner {
  readonly size: number;
  has(text: string): boolean;
  indexOf(text: string): number;
  textOf(index: number): string;
}

export function createInterner(): Interner {
  const indexes = new Map<string, number>();
  const texts: string[] = [];
  return {
    get size() {
      return texts.length;
    },
    has: (text) => indexes.has(text),
    indexOf(text) {
      const known = indexes.get(text);
      if (known !== undefined) return known;
      indexes.set(text, texts.length);
      texts.push(text);
      return texts.length - 1;
    },
    textOf: (index) => texts[index] ?? "",
  };
}
