import type { AssayError } from "../../errors/assay-error.ts";
import { cutText } from "../../support/cut-text.ts";
import {
  describeKind,
  formatRow,
  getOwn,
  isPlainObject,
  type JsonValue,
  parseJson,
  sortKeys,
} from "../../support/json.ts";
import { metricFailure } from "../define/metric-failure.ts";

/** A call by the name of its function and the canonical text of its arguments; null where they are no JSON. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: string | null;
}

export interface ToolCallAccuracy {
  readonly names: 0 | 1;
  /** Null when arguments that matter cannot be read. */
  readonly namesAndArguments: 0 | 1 | null;
}

/** Compares the calls as multisets: order does not count, how often does. */
export function compareCalls(
  expected: readonly ToolCall[],
  given: readonly ToolCall[],
): ToolCallAccuracy {
  const names = isSameMultiset(expected.map(nameOf), given.map(nameOf));
  if (!names) return { names: 0, namesAndArguments: 0 };
  if (given.some((call) => call.arguments === null)) return { names: 1, namesAndArguments: null };
  const isEqual = isSameMultiset(expected.map(wholeOf), given.map(wholeOf));
  return { names: 1, namesAndArguments: isEqual ? 1 : 0 };
}

const nameOf = (call: ToolCall) => call.name;
const wholeOf = (call: ToolCall) => formatRow([call.name, call.arguments]);

function isSameMultiset(a: readonly string[], b: readonly string[]): boolean {
  const sorted = [...b].sort();
  return a.length === b.length && [...a].sort().every((item, index) => item === sorted[index]);
}

/** The calls that a reference lists: `[{ function: { name, arguments } }]`. */
export function expectedCalls(reference: JsonValue): ToolCall[] {
  if (!Array.isArray(reference))
    throw wrong(`the reference gives ${describeKind(reference)}, not a list of calls`);
  return reference.map((call: JsonValue, index) => {
    const definition = isPlainObject(call) ? getOwn(call, "function") : undefined;
    const name = isPlainObject(definition) ? getOwn(definition, "name") : undefined;
    const given = isPlainObject(definition) ? getOwn(definition, "arguments") : undefined;
    if (typeof name !== "string" || given === undefined) {
      throw wrong(
        `call ${index} of the reference needs function.name, a string, and function.arguments`,
      );
    }
    const text = argumentsText(given);
    if (text === null) throw wrong(`the arguments of call ${index} of the reference are no JSON`);
    return { name, arguments: text };
  });
}

/** The calls of the first choice of a chat completion. Calls without a name are left out. */
export function givenCalls(response: JsonValue): ToolCall[] {
  const choices = isPlainObject(response) ? getOwn(response, "choices") : undefined;
  const [first] = Array.isArray(choices) ? (choices as readonly unknown[]) : [];
  const message = isPlainObject(first) ? getOwn(first, "message") : undefined;
  if (!isPlainObject(message)) {
    throw wrong(`the response has no choices[0].message: ${cutText(formatRow(response), 500)}`);
  }
  const calls = getOwn(message, "tool_calls") ?? [];
  if (!Array.isArray(calls))
    throw wrong(`tool_calls of the response is ${describeKind(calls)}, not a list`);
  return calls.flatMap((call: unknown) => {
    const definition = isPlainObject(call) ? getOwn(call, "function") : undefined;
    const name = isPlainObject(definition) ? getOwn(definition, "name") : undefined;
    if (typeof name !== "string" || name === "") return [];
    return [{ name, arguments: argumentsText(getOwn(definition as object, "arguments") ?? null) }];
  });
}

/** Arguments come as JSON text or as data; null counts as no arguments. */
function argumentsText(given: unknown): string | null {
  if (typeof given !== "string") return formatRow(sortKeys(given ?? {}));
  try {
    return formatRow(sortKeys(parseJson(given, "arguments") ?? {}));
  } catch {
    // What the model wrote is no JSON: the caller decides what that is worth.
    return null;
  }
}

function wrong(problem: string): AssayError {
  return metricFailure("tool-calling", `: ${problem}`);
}
