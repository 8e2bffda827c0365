import { AssayError } from "../../errors/assay-error.ts";

/** A value that must be stored nowhere, by the name people know it by. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

/** What stands where a secret was. */
export const redactedMark = "<redacted>";

const tokenLine = /^[A-Za-z0-9+/=_-]{16,}$/;

/**
 * The texts that are looked for: the value without the blank space around it, and the long lines of a value of several
 * lines, since a key in PEM is often shown line by line.
 */
export function searchedValues({ name, value }: KnownSecret): readonly string[] {
  const trimmed = value.trim();
  if (redactedMark.includes(trimmed)) {
    throw new AssayError(
      "ASSAY_SECRET_TOO_SHORT",
      `secret ${name}: its value is empty or part of "${redactedMark}", so it cannot be removed from text`,
      {
        data: { name },
      },
    );
  }
  const lines = trimmed.split(/\r?\n/).map((line) => line.trim());
  return lines.length === 1
    ? [trimmed]
    : [trimmed, ...lines.filter((line) => tokenLine.test(line))];
}
