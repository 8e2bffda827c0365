// Rows are kept as columns of numbers in fixed-size chunks: a million of them cost a few bytes each, nothing for the
// garbage collector to visit, and no copy when they grow. Only the first chunk grows: there may be 100,000 columns of one
// number each. A chunk is as narrow as its numbers allow: neighbours are mostly alike, and whole.

const chunkBits = 12;
const chunkLength = 1 << chunkBits;
const chunkMask = chunkLength - 1;
const firstLength = 8;

type Numbers = Int8Array | Int16Array | Int32Array | Float64Array;

/** The next wider one of each; the widest holds any number as it is. */
const wider = new Map<unknown, new (length: number) => Numbers>([
  [Int8Array, Int16Array],
  [Int16Array, Int32Array],
  [Int32Array, Float64Array],
]);

interface Chunk {
  /** What each of the numbers is the distance from. */
  base: number;
  numbers: Numbers;
}

/** A list of numbers that only grows. -0 comes back as 0. */
export interface Column {
  readonly length: number;
  push(value: number): void;
  at(index: number): number;
  toArray(): Float64Array;
}

export function createColumn(): Column {
  const chunks: Chunk[] = [];
  let length = 0;
  const at = (index: number) => {
    const chunk = chunks[index >>> chunkBits];
    return chunk === undefined ? Number.NaN : numberAt(chunk, index & chunkMask);
  };
  return {
    get length() {
      return length;
    },
    push(value) {
      const index = length >>> chunkBits;
      const offset = length & chunkMask;
      const chunk = chunks[index] ?? startChunk(value, index === 0 ? firstLength : chunkLength);
      chunks[index] = chunk;
      if (offset === chunk.numbers.length) lengthen(chunk);
      while (!put(chunk, offset, value)) widen(chunk, offset);
      length += 1;
    },
    at,
    toArray() {
      const array = new Float64Array(length);
      for (let index = 0; index < length; index += 1) array[index] = at(index);
      return array;
    },
  };
}

function startChunk(first: number, length: number): Chunk {
  return { base: Number.isSafeInteger(first) ? first : 0, numbers: new Int8Array(length) };
}

function numberAt({ base, numbers }: Chunk, offset: number): number {
  return base + (numbers[offset] ?? Number.NaN);
}

/** False where the chunk is too narrow for the number. */
function put(chunk: Chunk, offset: number, value: number): boolean {
  chunk.numbers[offset] = value - chunk.base;
  return numberAt(chunk, offset) === value || chunk.numbers instanceof Float64Array;
}

function lengthen(chunk: Chunk): void {
  const { numbers } = chunk;
  const Type = numbers.constructor as new (length: number) => Numbers;
  chunk.numbers = new Type(numbers.length * 2);
  chunk.numbers.set(numbers);
}

/** Of the numbers there are `count`. */
function widen(chunk: Chunk, count: number): void {
  const { base, numbers } = chunk;
  const Wider = wider.get(numbers.constructor) ?? Float64Array;
  chunk.numbers = new Wider(numbers.length);
  if (Wider === Float64Array) chunk.base = 0;
  const moved = base - chunk.base;
  for (let offset = 0; offset < count; offset += 1)
    chunk.numbers[offset] = (numbers[offset] as number) + moved;
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
  const addresses = createColumn();
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
