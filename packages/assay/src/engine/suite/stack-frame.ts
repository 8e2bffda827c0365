import { SourceMap, type SourceMapPayload } from "node:module";
import { fileURLToPath } from "node:url";

import { parseJson } from "../../support/json.ts";

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

/** The innermost place in the suite's own files. */
export function frameOf(thrown: unknown, files: MappedFiles): StackFrame | null {
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : "";
  for (const line of stack.split("\n")) {
    const [, place, row, column] =
      /(?:^|[\s(])((?:file:\/\/|[A-Za-z]:[\\/]|\/).+?):(\d+)(?::(\d+))?\)?$/.exec(line) ?? [];
    if (place === undefined || row === undefined) continue;
    const file = place.startsWith("file:") ? fileURLToPath(place) : place;
    if (!files.has(file)) continue;
    return mapped(
      { file, line: Number(row), column: column === undefined ? null : Number(column) },
      files,
    );
  }
  return null;
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
