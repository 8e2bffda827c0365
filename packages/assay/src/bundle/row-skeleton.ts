import { readNumber, type Scan, scanText } from "../support/scan-json.ts";

/** A text or a number that rows of one skeleton may differ in. */
export interface Slot {
  readonly isText: boolean;
  /** Whether the schema takes such a value there. */
  readonly isRight: (value: unknown) => boolean;
  /** Where it stands in the decoded row. */
  readonly holder: object;
  readonly key: string | number;
  /** The value that stands there. */
  value: unknown;
}

export interface SkeletonParts {
  /** The bytes before the first slot, between two, and behind the last: one more than slots. */
  readonly literals: readonly Uint8Array[];
  readonly slots: readonly Slot[];
  /** What the schema asks of the row besides the form of each value. */
  readonly rules: readonly (() => boolean)[];
}

const newline = 0x0a;

/**
 * All of a row that was checked the long way but the values of its texts and numbers. A row with the same bytes around its
 * values has the same keys, none of them twice, and values of the same kinds: it is JSON and of its schema when each value
 * is, and only these are read.
 */
export class RowSkeleton<T> {
  /** The decoded row, which holds the values of the last one that was read. */
  readonly row: T;
  readonly #parts: SkeletonParts;
  readonly #scan: Scan = { end: 0, value: "" };

  constructor(row: T, parts: SkeletonParts) {
    this.row = row;
    this.#parts = parts;
  }

  /** Reads the line that begins at `start`. Gives where it ends, or -1: then `row` means nothing until another is read. */
  read(bytes: Buffer, start: number): number {
    const { literals, slots, rules } = this.#parts;
    let at = start;
    for (let index = 0; index < slots.length; index += 1) {
      at = endOfLiteral(bytes, at, literals[index] as Uint8Array);
      if (at === -1) return -1;
      at = this.#readSlot(bytes, at, slots[index] as Slot);
      if (at === -1) return -1;
    }
    at = endOfLiteral(bytes, at, literals[slots.length] as Uint8Array);
    const isWhole = at !== -1 && (at === bytes.length || bytes[at] === newline);
    return isWhole && rules.every((rule) => rule()) ? at : -1;
  }

  #readSlot(bytes: Buffer, at: number, slot: Slot): number {
    const scan = this.#scan;
    scan.value = slot.value;
    const isRead = slot.isText ? scanText(bytes, at, scan) : readNumber(bytes, at, scan);
    if (!isRead) return -1;
    const { value, end } = scan;
    if (Object.is(value, slot.value)) return end;
    if (!slot.isRight(value)) return -1;
    slot.value = value;
    (slot.holder as Record<string | number, unknown>)[slot.key] = value;
    return end;
  }
}

function endOfLiteral(bytes: Buffer, at: number, literal: Uint8Array): number {
  const { length } = literal;
  if (at + length > bytes.length) return -1;
  for (let index = 0; index < length; index += 1)
    if (bytes[at + index] !== literal[index]) return -1;
  return at + length;
}
