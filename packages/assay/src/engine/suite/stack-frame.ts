import { SourceMap, type SourceMapPayload } from "node:module";
import { fileURLToPath } from "node:url";

import { stackOf } from "../../errors/assay-error.ts";
import { parseJson } from "../../support/json.ts";

/** No line of Node's is longer than a path and a name. */
const maxLineCharacters = 16_384;

export interface StackFrame {
  readonly file: string;
  readonly line: number;
  readonly column: number | null;
}

/** The files of a suite, with the source map of what was made of each. */
interface MappedFiles {
  has(file: string): boolean;
  map(file: string): string | null;
}

/** The innermost place in the suite's own files. What was thrown may hold any text as its stack. */
export function frameOf(thrown: unknown, files: MappedFiles): StackFrame | null {
  for (const line of (stackOf(thrown) ?? "").split("\n")) {
    if (line.length > maxLineCharacters) continue;
    const [, place, row, column] =
      /(?:^|[\s(])((?:file:\/\/|[A-Za-z]:[\\/]|\/).+?):(\d+)(?::(\d+))?\)?$/.exec(line) ?? [];
    if (place === undefined || row === undefined) continue;
    const file = place.startsWith("file:") ? fileOf(place) : place;
    if (file === null || !files.has(file)) continue;
    return mapped(
      { file, line: Number(row), column: column === undefined ? null : Number(column) },
      files,
    );
  }
  return null;
}

/** Null for a URL that names no file of this machine. */
function fileOf(url: string): string | null {
  try {
    return fileURLToPath(url);
  } catch {
    return null;
  }
}

/**
 * The transform keeps no column, and the line only where it moved no import up. The first line also holds what was put
 * before the code.
 */
function mapped(frame: StackFrame, files: MappedFiles): StackFrame {
  const map = files.map(frame.file);
  if (map === null || frame.column === null) return frame;
  if (frame.line === 1) return { ...frame, column: 1 };
  const entry = new SourceMap(parseJson(map, "source map") as SourceMapPayload).findEntry(
    frame.line - 1,
    frame.column - 1,
  );
  if (!("originalLine" in entry) || entry.generatedLine !== frame.line - 1) return frame;
  return { ...frame, line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}
