import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { parseJson } from "../../support/json.ts";
import { lineAndColumn } from "./source-place.ts";

/** Parses a JSON file; a syntax error names the line and column. */
export function parseLocatedJson(text: string, shown: string): unknown {
  try {
    return parseJson(text, shown);
  } catch (cause) {
    const position = /at position (\d+)/.exec(messageOf(cause))?.[1];
    const offset = position === undefined ? text.length : Number(position);
    const { line, column } = lineAndColumn(text, offset);
    const what = messageOf(cause)
      .replace(/^.* is not JSON: /, "")
      .replace(/ (?:in JSON )?at position.*$/, "");
    throw new AssayError(
      "ASSAY_SUITE_LOAD_FAILED",
      `${shown}:${line}:${column}: syntax error: ${what}`,
      { cause, data: { file: shown } },
    );
  }
}
