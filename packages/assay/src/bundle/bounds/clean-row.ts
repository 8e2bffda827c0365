import type { z } from "zod";

import { formatRecord } from "../../schema/row-format.ts";
import type { RowWriter } from "../row-writer.ts";
import { isWithin, rowBounds, unlessTooLong } from "./bounds.ts";

export interface RowKind<T> {
  readonly schema: z.ZodType;
  readonly hasBoundedTexts: (record: T) => boolean;
  readonly bound: (record: T) => T;
}

export interface CleanRow<T> {
  /** The record as it is stored. */
  readonly record: T;
  readonly row: string;
}

/** A record without secrets, and then within its bounds: what is cut first may leave half a secret. */
export function cleanRow<T>(record: T, kind: RowKind<T>, rows: RowWriter): CleanRow<T> {
  const { schema } = kind;
  const given = boundedRow(record, kind, () => rows.harmlessRow(schema, record));
  if (given !== null) return { record, row: given };
  const clean = rows.clean(schema, record);
  const row = boundedRow(clean, kind, () => formatRecord(schema, clean));
  if (row !== null) return { record: clean, row };
  const bounded = kind.bound(clean);
  return { record: bounded, row: formatRecord(schema, bounded) };
}

/** The row of a record that is within its bounds, else null. */
function boundedRow<T>(
  record: T,
  { hasBoundedTexts }: RowKind<T>,
  format: () => string | null,
): string | null {
  const row = hasBoundedTexts(record) ? unlessTooLong(format) : null;
  return row !== null && isWithin(row, rowBounds.data) ? row : null;
}
