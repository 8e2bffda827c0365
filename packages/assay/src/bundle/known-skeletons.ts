import type { z } from "zod";

import { type CheckedRow, learnSkeleton } from "./learn-skeleton.ts";
import type { RowSkeleton } from "./row-skeleton.ts";

const maxKnown = 8;
/** To learn costs more than to read: rows of which none is like another are soon only read. */
const rowsBetween = 64;

/** The skeletons of the rows of one file, the ones of late. */
export class KnownSkeletons<T> {
  /** Where the line ends that was read last. */
  end = 0;
  readonly #schema: z.core.$ZodType;
  /** The one that was met last is the first. */
  readonly #known: RowSkeleton<T>[] = [];
  #learned = 0;
  #missed = 0;

  constructor(schema: z.core.$ZodType) {
    this.#schema = schema;
  }

  /** The skeleton of the line that begins at `start`, with its values; null when it is like none of them. */
  read(bytes: Buffer, start: number): RowSkeleton<T> | null {
    for (let index = 0; index < this.#known.length; index += 1) {
      const skeleton = this.#known[index] as RowSkeleton<T>;
      this.end = skeleton.read(bytes, start);
      if (this.end === -1) continue;
      if (index > 0) this.#toFront(index);
      return skeleton;
    }
    return null;
  }

  /** Of a row that was like none of them. */
  learn(row: CheckedRow<T>): void {
    this.#missed += 1;
    if (this.#learned >= maxKnown && this.#missed < rowsBetween) return;
    this.#learned += 1;
    this.#missed = 0;
    const skeleton = learnSkeleton(this.#schema, row);
    if (skeleton === null) return;
    this.#known.unshift(skeleton);
    this.#known.length = Math.min(this.#known.length, maxKnown);
  }

  #toFront(index: number): void {
    const [skeleton] = this.#known.splice(index, 1);
    if (skeleton !== undefined) this.#known.unshift(skeleton);
  }
}
