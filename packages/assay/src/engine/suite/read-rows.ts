import path from "node:path";

import { maxRowBytes } from "../../bundle/decode-files.ts";
import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { parseJson } from "../../support/json.ts";

/** One line of a JSONL file; `place` is `tasks.jsonl:12`, counted over all lines, blank ones too. */
export type Row =
  | { readonly place: string; readonly value: unknown }
  | { readonly place: string; readonly problem: AssayError };

export interface RowFile {
  /** As the suite names it, relative to its folder. */
  readonly jsonl: string;
  readonly baseDir: string;
  readonly files: FileStore;
  /** A longer line is a problem, and nothing behind it is read. Default: what a row of a bundle may take. */
  readonly maxLineBytes?: number;
  /** Sees all bytes of the file. */
  readonly onChunk?: (chunk: Uint8Array) => void;
}

const harborForm = '`tasks: { directory: "<path>", format: "harbor" }`';

/** Rows of a JSONL file. Blank lines, a byte-order mark, CRLF and a missing last newline are fine. */
export async function* readRows(source: RowFile): AsyncGenerator<Row> {
  const { jsonl, baseDir, files, maxLineBytes = maxRowBytes, onChunk } = source;
  const file = path.resolve(baseDir, jsonl);
  const facts = await files.stat(file);
  if (facts === null || facts.kind === "directory") {
    const [message, more] =
      facts === null
        ? [`there is no file "${jsonl}"`, ""]
        : [`"${jsonl}" is a directory`, `; tasks of Harbor: ${harborForm}`];
    throw new AssayError("ASSAY_SUITE_INVALID", message, {
      data: { path: file },
      remedy: `Give the path of a JSONL file, relative to the suite's folder${more}.`,
    });
  }
  const options = { maxLineBytes, ...(onChunk === undefined ? {} : { onChunk }) };
  let lineNumber = 0;
  try {
    for await (const line of files.readLines(file, options)) {
      lineNumber += 1;
      const text = lineNumber === 1 ? line.replace(/^\uFEFF/, "") : line;
      if (text.trim() === "") continue;
      yield parseRow(text, `${jsonl}:${lineNumber}`);
    }
  } catch (thrown) {
    if (!AssayError.isInstance(thrown) || thrown.data["systemCode"] !== "EFBIG") throw thrown;
    const place = `${jsonl}:${lineNumber + 1}`;
    yield { place, problem: tooLong(place, maxLineBytes, thrown) };
  }
}

function tooLong(place: string, maxLineBytes: number, cause: AssayError): AssayError {
  const message = `${place}: the line is longer than ${maxLineBytes} bytes`;
  const remedy = "Put large inputs into files, and name the files in the task.";
  return new AssayError("ASSAY_SUITE_INVALID", message, { cause, remedy });
}

function parseRow(text: string, place: string): Row {
  try {
    return { place, value: parseJson(text, place) };
  } catch (problem) {
    if (!AssayError.isInstance(problem)) throw problem;
    const { code, message } = problem;
    const remedy = "Mend the line: each holds one JSON object.";
    return { place, problem: new AssayError(code, message, { cause: problem, remedy }) };
  }
}
