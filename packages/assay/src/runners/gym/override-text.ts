import { AssayError } from "../../errors/assay-error.ts";
import { isPlainObject, type JsonObject, type JsonValue } from "../../support/json.ts";

const keyPattern = /^[A-Za-z_][A-Za-z0-9_.-]*$/;
const reservedWords = new Set(["true", "false", "null", "inf", "nan"]);

/** Hydra overrides (`++key=value`) of nested settings. Throws `ASSAY_CONFIG_INVALID` for what Hydra cannot take. */
export function hydraOverrides(settings: JsonObject): readonly string[] {
  return Object.entries(settings).flatMap(([key, value]) => overridesOf(key, value));
}

/** One `++key=value`. */
export function hydraOverride(key: string, value: JsonValue): string {
  return `++${checkedKey(key, key)}=${textOf(value, key)}`;
}

function overridesOf(path: string, value: JsonValue): readonly string[] {
  if (!isPlainObject(value) || Object.keys(value).length === 0) return [hydraOverride(path, value)];
  return Object.entries(value as JsonObject).flatMap(([key, inner]) =>
    overridesOf(`${path}.${checkedKey(key, path)}`, inner),
  );
}

function checkedKey(key: string, place: string): string {
  if (keyPattern.test(key) && !reservedWords.has(key.toLowerCase())) return key;
  throw invalid(place, `"${key}" is no key that Hydra takes: letters, digits, "_", "." and "-"`);
}

function textOf(value: JsonValue, place: string): string {
  if (typeof value === "string") return quoted(value, place);
  if (Array.isArray(value)) return `[${value.map((item) => textOf(item, place)).join(",")}]`;
  if (isPlainObject(value)) {
    const parts = Object.entries(value as JsonObject).map(
      ([key, inner]) => `${checkedKey(key, place)}:${textOf(inner, place)}`,
    );
    return `{${parts.join(",")}}`;
  }
  return String(value);
}

/** In Hydra's grammar a backslash escapes the quote alone, so that one before the closing quote has no spelling. */
function quoted(text: string, place: string): string {
  if (text.endsWith("\\"))
    throw invalid(place, "a text that ends in a backslash cannot be written for Hydra");
  return `'${text.replaceAll("'", "\\'")}'`;
}

function invalid(place: string, problem: string): AssayError {
  return new AssayError("ASSAY_CONFIG_INVALID", `gym: hydra_params: ${place}: ${problem}`, {
    remedy: "Mend the option hydra_params.",
  });
}
