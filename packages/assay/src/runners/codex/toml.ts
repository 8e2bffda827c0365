import { isPlainObject, type JsonValue } from "../../support/json.ts";

/** A JSON value as the TOML that `-c key=value` takes. TOML has no null: it is left out of tables and arrays. */
export function toToml(value: JsonValue): string {
  if (typeof value === "string") return tomlString(value);
  if (typeof value === "number") return tomlNumber(value);
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.filter(isSet).map(toToml).join(",")}]`;
  const entries = isPlainObject(value) ? Object.entries(value as Record<string, JsonValue>) : [];
  const pairs = entries.filter(([, item]) => isSet(item));
  return `{${pairs.map(([key, item]) => `${tomlKey(key)}=${toToml(item)}`).join(",")}}`;
}

function isSet(value: JsonValue): boolean {
  return value !== null;
}

/** Integers beyond 64 bits are no TOML, and Codex takes what is no TOML for a string without a word. */
function tomlNumber(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return Math.abs(value) < 2 ** 63 ? String(value) : value.toExponential();
}

function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : tomlString(key);
}

/** JSON's escapes are TOML's, but DEL must be escaped too, and half a surrogate pair cannot be written. */
function tomlString(text: string): string {
  return JSON.stringify(text.replace(/\p{Surrogate}/gu, "\ufffd")).replaceAll("\u007f", "\\u007F");
}
