import { inspect } from "node:util";

import type { Redactor } from "../contracts/redactor.ts";
import { AssayError } from "../errors/assay-error.ts";
import { isJson, type JsonObject } from "../support/json.ts";

/** The same error without secrets. One that holds none, its causes included, is given back as it is. */
export function redactedError(thrown: unknown, redactor: Redactor): unknown {
  if (!redactor.mayContain(inspect(thrown, { depth: 8, maxStringLength: null }))) return thrown;
  if (AssayError.isInstance(thrown)) {
    const data = isJson(thrown.data) ? redactor.json(thrown.data as JsonObject) : {};
    return new AssayError(thrown.code, redactor.text(thrown.message), {
      data,
      remedy: redactor.text(thrown.remedy),
    });
  }
  const {
    name,
    message,
    stack = "",
  } = thrown instanceof Error ? thrown : new Error(String(thrown));
  const clean = new Error(redactor.text(message));
  return Object.assign(clean, { name: redactor.text(name), stack: redactor.text(stack) });
}
