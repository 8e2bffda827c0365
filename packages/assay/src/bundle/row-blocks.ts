const firstBlockBytes = 16 * 1024;
const lastBlockBytes = 1024 * 1024;
/** So much text is encoded at a time: a call of the encoder costs as much as a row. */
const textLength = 8 * 1024;

/** Rows that wait to be appended, as bytes: their texts need not be kept until then. */
export class RowBlocks {
  #full: Uint8Array[] = [];
  #block: Buffer = Buffer.alloc(0);
  #usedBytes = 0;
  /** Of the last rows, not encoded yet. */
  #text = "";

  /** Gives about how many bytes the rows take: one for each unit of their texts. */
  add(rows: readonly string[] = []): number {
    let size = 0;
    for (const row of rows) {
      if (row.length >= textLength) this.#encode();
      this.#text += `${row}\n`;
      size += row.length + 1;
      if (this.#text.length >= textLength) this.#encode();
    }
    return size;
  }

  /** All rows, in their order. A block ends where a row ends. */
  get blocks(): readonly Uint8Array[] {
    this.#encode();
    if (this.#usedBytes === 0) return this.#full;
    return [...this.#full, this.#block.subarray(0, this.#usedBytes)];
  }

  /** Forgets the rows and keeps the room they took, for others: new memory costs more than to fill it. */
  clear(): void {
    this.#full = [];
    this.#usedBytes = 0;
    this.#text = "";
    if (this.#block.length > lastBlockBytes) this.#block = Buffer.alloc(0);
  }

  #encode(): void {
    const text = this.#text;
    this.#text = "";
    const neededBytes = spaceOf(text);
    if (this.#block.length - this.#usedBytes < neededBytes) this.#begin(neededBytes);
    this.#usedBytes += this.#block.write(text, this.#usedBytes);
  }

  #begin(neededBytes: number): void {
    if (this.#usedBytes > 0) this.#full.push(this.#block.subarray(0, this.#usedBytes));
    const nextBytes = Math.min(Math.max(this.#block.length * 2, firstBlockBytes), lastBlockBytes);
    this.#block = Buffer.allocUnsafeSlow(Math.max(nextBytes, neededBytes));
    this.#usedBytes = 0;
  }
}

/** Enough for a text. Few are long enough to be measured: a unit of a string takes three bytes at most. */
function spaceOf(text: string): number {
  return text.length <= 2 * textLength ? text.length * 3 : Buffer.byteLength(text);
}
