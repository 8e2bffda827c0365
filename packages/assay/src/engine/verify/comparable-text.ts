import { AssayError } from "../../errors/assay-error.ts";
import { canonicalJson } from "../../support/canonical-json.ts";
import { sortKeys } from "../../support/json.ts";

/** Equal for equal JSON data. */
export function comparableText(value: unknown): string {
  try {
    return canonicalJson(value ?? null);
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
    // It holds half a surrogate pair, which canonical JSON has no form for.
    return JSON.stringify(sortKeys(value ?? null));
  }
}
