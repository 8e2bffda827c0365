import { formatRow, type JsonObject, type JsonValue, setOwn } from "../../support/json.ts";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** What one row may hold, in bytes as they are stored: every row can be read again, and many fit into memory at once. */
export const rowBounds = {
  outputText: 4 * mebibyte,
  /** A message or a traceback. */
  errorText: 64 * kibibyte,
  /** All free-form data of a row together. */
  data: 16 * mebibyte,
  /** What is left of a part of the data that was too large. */
  remnant: mebibyte,
  /** A member of such a part that stays. */
  member: 16 * kibibyte,
} as const;

/** Few rows are long enough to be measured. */
export function isWithin(text: string, maxBytes: number): boolean {
  // A unit of a string takes three bytes at most.
  return text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}

/** The beginning of a text: whole characters only. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (isWithin(text, maxBytes)) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

/** Bytes of a value as it is stored; infinite when no string can hold it. */
export function sizeOf(value: unknown): number {
  const text = unlessTooLong(() => formatRow(value));
  return text === null ? Number.POSITIVE_INFINITY : Buffer.byteLength(text);
}

export function sizeText(bytes: number): string {
  return Number.isFinite(bytes) ? `${bytes} bytes` : "more than 512 MiB";
}

/** Stands where something was too large. */
export function leftOut(bytes: number): JsonObject {
  return { left_out: sizeText(bytes) };
}

/** The parts that do not fit, with their sizes: the largest give way first. */
export function oversized<Name extends string>(
  parts: Readonly<Record<Name, unknown>>,
): ReadonlyMap<Name, number> {
  const sizes = (Object.keys(parts) as Name[])
    .map((name) => [name, sizeOf(parts[name])] as const)
    .sort(([, a], [, b]) => a - b);
  let total = 0;
  return new Map(
    sizes.filter(([, bytes]) => {
      total += bytes;
      return total > rowBounds.data;
    }),
  );
}

/** A small object in place of a large one: members that are small stay. */
export function remnantOf(object: JsonObject): JsonObject {
  const kept: Record<string, JsonValue> = {};
  for (const key of Object.keys(object)) setOwn(kept, key, memberOf(object[key] ?? null));
  return sizeOf(kept) <= rowBounds.remnant ? kept : leftOut(sizeOf(object));
}

/** The value, or a note in its place. */
export function memberOf(value: JsonValue): JsonValue {
  const bytes = sizeOf(value);
  return bytes <= rowBounds.member ? value : leftOut(bytes);
}

/** What is formatted; null when it is longer than a string can be. */
export function unlessTooLong(format: () => string | null): string | null {
  try {
    return format();
  } catch (thrown) {
    // "Invalid string length": what a string holds ends at some 512 MiB.
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}
