import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { parseJson } from "../../support/json.ts";
import { lineAndColumn } from "./source-place.ts";

/** Parses a JSON file; a syntax error names the line and column. */
export function parseLocatedJson(text: string, shown: string): unknown {
  try {
    return parseJson(text, shown);
  } catch (cause) {
    const place = placeOf(messageOf(cause), text);
    const what = messageOf(cause)
      .replace(/^.* is not JSON: /, "")
      .replace(/ (?:in JSON )?at position.*$/, "");
    throw new AssayError(
      "ASSAY_SUITE_LOAD_FAILED",
      `${[shown, ...place].join(":")}: syntax error: ${what}`,
      { cause, data: { file: shown } },
    );
  }
}

/** Line and column, where the engine says them: for some errors it quotes the surroundings instead. */
function placeOf(message: string, text: string): readonly number[] {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined && !message.includes("Unexpected end")) return [];
  const { line, column } = lineAndColumn(
    text,
    position === undefined ? text.length : Number(position),
  );
  return [line, column];
}
