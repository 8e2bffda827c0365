import canonicalizeModule from "canonicalize";

import { AssayError } from "../errors/assay-error.ts";

// The package's types describe a CommonJS default under nodenext.
const canonicalize = canonicalizeModule as unknown as (value: unknown) => string | undefined;

/**
 * RFC 8785 canonical JSON.
 * Throws `ASSAY_INVARIANT` for what has no canonical form: non-finite numbers, lone surrogates, undefined.
 */
export function canonicalJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = canonicalize(value);
  } catch (cause) {
    throw new AssayError("ASSAY_INVARIANT", `value has no canonical JSON form: ${String(cause)}`, {
      cause,
    });
  }
  if (text === undefined)
    throw new AssayError("ASSAY_INVARIANT", "undefined has no canonical JSON form");
  return text;
}
