import { cutMark, cutText } from "../../support/cut-text.ts";
import { getOwn, isPlainObject } from "../../support/json.ts";
import { type HarborResult, isText, stepsOf } from "./read-result.ts";

export interface HarborError {
  /** As Harbor calls it. */
  readonly type: string;
  readonly message: string | null;
  readonly traceback: string | null;
  /** As Harbor wrote it: older versions give the local time without a zone. */
  readonly occurredAt: string | null;
  readonly isTracebackCut: boolean;
}

const maxTracebackCharacters = 8192;
const maxMessageCharacters = 64 * 1024;

/**
 * What ended the trial, or the first of its steps that did not end well. `redact` comes before any cut: half a secret is
 * one still.
 */
export function errorOf(
  result: HarborResult,
  redact: (text: string) => string,
): HarborError | null {
  const places = [result.fields, ...stepsOf(result)];
  const thrown = places.map((place) => getOwn(place, "exception_info")).find(isThrown);
  if (thrown === undefined) return null;
  const info = isPlainObject(thrown) ? thrown : { type: thrown };
  const text = (...keys: readonly string[]) =>
    keys.map((key) => getOwn(info, key)).find(isText) ?? null;
  const traceback = text("exception_traceback", "traceback");
  const kept =
    traceback === null ? null : cutText(redact(traceback), maxTracebackCharacters - cutMark.length);
  const message = text("exception_message", "message");
  return {
    type: text("exception_type", "type", "name", "class") ?? "UnknownException",
    message: message === null ? null : cutText(redact(message), maxMessageCharacters),
    traceback: kept,
    occurredAt: text("occurred_at"),
    isTracebackCut: traceback !== null && traceback.length > maxTracebackCharacters,
  };
}

function isThrown(value: unknown): boolean {
  return value !== undefined && value !== null;
}
