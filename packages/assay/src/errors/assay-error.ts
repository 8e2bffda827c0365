import { inspect, types } from "node:util";

import { cutText } from "../support/cut-text.ts";
import { type ErrorCode, errorCodes, type Fault } from "./codes.ts";

/** Of a thrown value that is no text. Its end is where a piece of a secret would be looked for. */
const maxShownCharacters = 4000;
const brand = Symbol.for("assay.error");

export interface AssayErrorOptions {
  readonly cause?: unknown;
  /** Small typed facts for machines: ids, paths, names. Never a secret. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Overrides the table's remedy where the place knows better what to do next. */
  readonly remedy?: string;
}

/**
 * The one error of Assay. `message` says what happened, to which id, with the offending value;
 * `remedy` says what to do next; `code` is stable; `fault` and `retryable` are what the engine acts upon.
 */
export class AssayError extends Error {
  override readonly name = "AssayError";
  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, unknown>>;
  readonly remedy: string;

  constructor(code: ErrorCode, message: string, options: AssayErrorOptions = {}) {
    const cause = furtherCause(options.cause, code, message);
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.data = options.data ?? {};
    this.remedy = options.remedy ?? errorCodes[code].remedy;
    Object.defineProperty(this, brand, { value: true });
  }

  get fault(): Fault {
    return errorCodes[this.code].fault;
  }

  get retryable(): boolean {
    return "retryable" in errorCodes[this.code];
  }

  /** True for an error of any loaded copy of Assay. Runs no code of the value: a Proxy, which could lie or throw, is none. */
  static isInstance(value: unknown): value is AssayError {
    if (typeof value !== "object" || value === null || types.isProxy(value)) return false;
    return Object.hasOwn(value, brand);
  }
}

/** An error that is told again, with its place in front, is no cause of itself: what caused it is. */
function furtherCause(cause: unknown, code: ErrorCode, message: string): unknown {
  const isRetold =
    AssayError.isInstance(cause) && cause.code === code && message.endsWith(cause.message);
  return isRetold ? cause.cause : cause;
}

/** The text of anything that was thrown, without its stack. */
export function messageOf(thrown: unknown): string {
  return partsOf(thrown).message;
}

/** `Name: message`, the way a thrown value is told to people. */
export function describeThrown(thrown: unknown): string {
  const { name, message } = partsOf(thrown);
  return name === message ? name : `${name}: ${message}`;
}

/** `instanceof` for what was thrown: a Proxy that refuses to be looked at is an instance of nothing. */
export function isThrown<T>(
  thrown: unknown,
  type: abstract new (...args: never[]) => T,
): thrown is T {
  try {
    return thrown instanceof type;
  } catch {
    return false;
  }
}

/** The name of an error; null for anything else. */
export function errorNameOf(thrown: unknown): string | null {
  return isThrown(thrown, Error) ? partsOf(thrown).name : null;
}

/** The stack of an error, which may be anything on a thrown value. */
export function stackOf(thrown: unknown): string | null {
  try {
    const stack: unknown = thrown instanceof Error ? thrown.stack : null;
    return typeof stack === "string" ? stack : null;
  } catch {
    return null;
  }
}

/** Anything can be thrown, and looking at it can throw again. */
function partsOf(thrown: unknown): { readonly name: string; readonly message: string } {
  try {
    if (!(thrown instanceof Error)) return { name: "thrown value", message: textOf(thrown) };
    // Few classes set their name; where one is set, it says more than the class.
    const name = textOf(thrown.name === "Error" ? thrown.constructor?.name : thrown.name);
    return { name, message: thrown.message === "" ? name : textOf(thrown.message) };
  } catch {
    return { name: "thrown value", message: "a value that cannot be shown" };
  }
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const options = { depth: 2, breakLength: Number.POSITIVE_INFINITY, maxStringLength: null };
  return cutText(inspect(value, options), maxShownCharacters);
}
