import path from "node:path";

import { AssayError } from "../../errors/assay-error.ts";

/** How a file is named in messages: the suite as the user gave it, its modules relative to that. */
export function shownPath(
  file: string,
  suite: { readonly path: string; readonly shown: string },
): string {
  if (file === suite.path) return suite.shown;
  const relative = path.relative(path.dirname(suite.path), file);
  return path.join(path.dirname(suite.shown), relative);
}

/** Line and column, both from 1, of an offset in a text. */
export function lineAndColumn(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return { line, column: offset - before.lastIndexOf("\n") };
}

/** The same error with the place it belongs to in front. */
export function atPlace(
  error: AssayError,
  place: string,
  data: Readonly<Record<string, unknown>> = {},
): AssayError {
  const { code, message, remedy } = error;
  return new AssayError(code, message.startsWith(place) ? message : `${place}: ${message}`, {
    cause: error,
    data: { ...error.data, ...data },
    remedy,
  });
}
