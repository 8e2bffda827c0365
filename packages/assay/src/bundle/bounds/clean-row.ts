import type { z } from "zod";

import type { Redactor } from "../../contracts/redactor.ts";
import { formatRecord, type Look } from "../../schema/row-format.ts";
import { redactRecord } from "../redact-record.ts";
import { isWithin, rowBounds, rowOf } from "./bounds.ts";

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
export function cleanRow<T>(record: T, kind: RowKind<T>, redactor: Redactor): CleanRow<T> {
  const { schema } = kind;
  let maySecretStand = false;
  const given = boundedRow(record, kind, (text) => {
    maySecretStand ||= redactor.mayContain(text);
  });
  if (given !== null && !maySecretStand) return { record, row: given };
  const clean = redactRecord(schema, record, redactor);
  const row = boundedRow(clean, kind);
  if (row !== null) return { record: clean, row };
  const bounded = kind.bound(clean);
  return { record: bounded, row: formatRecord(schema, bounded) };
}

/** The row of a record that is within its bounds, else null. */
function boundedRow<T>(
  record: T,
  { schema, hasBoundedTexts }: RowKind<T>,
  look?: Look,
): string | null {
  const row = hasBoundedTexts(record) ? rowOf(schema, record, look) : null;
  return row !== null && isWithin(row, rowBounds.data) ? row : null;
}
