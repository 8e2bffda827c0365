import { type ErrorCode, errorCodes, type Fault } from "./codes.ts";

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
    super(message, "cause" in options ? { cause: options.cause } : undefined);
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

  /** True for an error of any loaded copy of Assay. */
  static isInstance(value: unknown): value is AssayError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** The text of anything that was thrown, without its stack. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === "" ? thrown.name : thrown.message;
  return String(thrown);
}

/** `Name: message`, the way a thrown value is told to people. */
export function describeThrown(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `thrown value: ${String(thrown)}`;
  const name = thrown.constructor?.name || thrown.name;
  return thrown.message === "" ? name : `${name}: ${thrown.message}`;
}
