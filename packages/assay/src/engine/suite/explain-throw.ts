import { SourceMap, type SourceMapPayload } from "node:module";
import { fileURLToPath } from "node:url";

import { AssayError, describeThrown } from "../../errors/assay-error.ts";
import { parseJson } from "../../support/json.ts";
import { atPlace, shownPath } from "./source-place.ts";
import type { CodeRecord } from "./suite-code.ts";

/** Tells something that a suite threw while it was loaded as one message that names the file and the place. */
export function explainThrow(
  thrown: unknown,
  {
    suite,
    code,
  }: {
    readonly suite: { readonly path: string; readonly shown: string };
    readonly code: CodeRecord;
  },
): AssayError {
  const isOurs = AssayError.isInstance(thrown);
  if (isOurs && "file" in thrown.data) return thrown;
  const frame = frameOf(thrown, code);
  const file = frame?.file ?? suite.path;
  const shown = shownPath(file, suite);
  const place =
    frame === null
      ? shown
      : [shown, frame.line, ...(frame.column === null ? [] : [frame.column])].join(":");
  if (isOurs) return atPlace(thrown, place, { file });
  const isSyntax =
    thrown instanceof Error && thrown.name === "SyntaxError" && frame?.column === null;
  const what = isSyntax
    ? `syntax error: ${thrown.message}`
    : `threw while it was loaded: ${withoutInterop(describeThrown(thrown))}`;
  return new AssayError("ASSAY_SUITE_LOAD_FAILED", `${place}: ${what}`, {
    cause: thrown,
    data: { file },
  });
}

/** The transform calls an imported name as `(0 , _module.name)`. */
function withoutInterop(text: string): string {
  return text.replace(/\(0 ?, ?_\w+\.(\w+)\)/g, "$1");
}

interface Frame {
  readonly file: string;
  readonly line: number;
  readonly column: number | null;
}

/** The innermost place in the suite's own files. */
function frameOf(thrown: unknown, code: CodeRecord): Frame | null {
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : "";
  for (const line of stack.split("\n")) {
    const [, place, row, column] =
      /(?:^|[\s(])((?:file:\/\/|[A-Za-z]:[\\/]|\/).+?):(\d+)(?::(\d+))?\)?$/.exec(line) ?? [];
    if (place === undefined || row === undefined) continue;
    const file = place.startsWith("file:") ? fileURLToPath(place) : place;
    if (!code.has(file)) continue;
    return mapped(
      { file, line: Number(row), column: column === undefined ? null : Number(column) },
      code,
    );
  }
  return null;
}

/**
 * The transform keeps no column, and the line only where it moved no import up. The first line also holds what was put
 * before the code.
 */
function mapped(frame: Frame, code: CodeRecord): Frame {
  const map = code.map(frame.file);
  if (map === null || frame.column === null) return frame;
  if (frame.line === 1) return { ...frame, column: 1 };
  const entry = new SourceMap(parseJson(map, "source map") as SourceMapPayload).findEntry(
    frame.line - 1,
    frame.column - 1,
  );
  if (!("originalLine" in entry) || entry.generatedLine !== frame.line - 1) return frame;
  return { ...frame, line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}
