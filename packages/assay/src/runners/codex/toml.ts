import { isPlainObject, type JsonValue } from "../../support/json.ts";

/** A JSON value as the TOML that `-c key=value` takes. Null has no form in TOML and is left out of tables. */
export function toToml(value: JsonValue): string {
  if (typeof value === "string") return tomlString(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.filter((item) => item !== null).map((item: JsonValue) => toToml(item)).join(",")}]`;
  if (!isPlainObject(value)) return '""';
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return `{${entries.map(([key, item]) => `${tomlKey(key)}=${toToml(item as JsonValue)}`).join(",")}}`;
}

function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : tomlString(key);
}

/** JSON escapes are TOML escapes, but for DEL, which TOML wants escaped too. */
function tomlString(text: string): string {
  return JSON.stringify(text).replace(/\u007f/g, "\\u007F");
}
