const firstBlockBytes = 16 * 1024;
const lastBlockBytes = 1024 * 1024;

/** Rows that wait to be appended, as bytes: a row is encoded once, and its text need not be kept until then. */
export class RowBlocks {
  #full: Uint8Array[] = [];
  #block: Buffer = Buffer.alloc(0);
  #usedBytes = 0;

  addAll(rows: readonly string[] = []): number {
    let bytes = 0;
    for (const row of rows) bytes += this.add(row);
    return bytes;
  }

  /** Gives the bytes that the row takes, its newline included. */
  add(row: string): number {
    const neededBytes = spaceOf(row);
    if (this.#block.length - this.#usedBytes < neededBytes) this.#begin(neededBytes);
    const start = this.#usedBytes;
    const end = start + this.#block.write(row, start);
    this.#block[end] = 0x0a;
    this.#usedBytes = end + 1;
    return this.#usedBytes - start;
  }

  /** All rows, in their order. A block ends where a row ends. */
  get blocks(): readonly Uint8Array[] {
    if (this.#usedBytes === 0) return this.#full;
    return [...this.#full, this.#block.subarray(0, this.#usedBytes)];
  }

  /** Forgets the rows and keeps the room they took, for others: new memory costs more than to fill it. */
  clear(): void {
    this.#full = [];
    this.#usedBytes = 0;
    if (this.#block.length > lastBlockBytes) this.#block = Buffer.alloc(0);
  }

  #begin(neededBytes: number): void {
    if (this.#usedBytes > 0) this.#full.push(this.#block.subarray(0, this.#usedBytes));
    const nextBytes = Math.min(Math.max(this.#block.length * 2, firstBlockBytes), lastBlockBytes);
    this.#block = Buffer.allocUnsafeSlow(Math.max(nextBytes, neededBytes));
    this.#usedBytes = 0;
  }
}

/** Enough for the row and its newline. Few rows are long enough to be measured: a unit of a string takes three bytes at most. */
function spaceOf(row: string): number {
  const mostBytes = row.length * 3 + 1;
  return mostBytes <= firstBlockBytes ? mostBytes : Buffer.byteLength(row) + 1;
}
