import { isPlainObject, type JsonObject, type JsonValue, setOwn } from "../../support/json.ts";
import { isCredentialHeader, isCredentialName } from "./credential-names.ts";
import { replaceCredentials } from "./credential-text.ts";
import { redactedMark } from "./secret.ts";

type Count = (rule: string) => void;

/** What the names above a value say about it. */
interface Place {
  readonly isCredential: boolean;
  readonly isHeader: boolean;
}

/**
 * Free-form settings without their credentials. A value is one when a name on its path says so: `<redacted>` takes the
 * place of scalars and of whole lists, objects and all names stay; `{ name, value }` is read as one setting. Inside any
 * text, user-info of URLs and named credentials (`key=value`, `Name: value`) are replaced. Counts of tokens, booleans
 * and null are never credentials.
 */
export function redactSettings(settings: JsonObject, count: Count = () => {}): JsonObject {
  return redactObject(settings, { isCredential: false, isHeader: false }, count);
}

function redactObject(value: JsonObject, place: Place, count: Count): JsonObject {
  const isNamed = (name: string) =>
    isCredentialName(name) || (place.isHeader && isCredentialHeader(name));
  const isNamedPair = typeof value["name"] === "string" && isNamed(value["name"]);
  const result: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    const below: Place = {
      isCredential: place.isCredential || isNamed(key) || (isNamedPair && key === "value"),
      isHeader: place.isHeader || /headers?$/i.test(key),
    };
    setOwn(result, key, redactValue(value[key] as JsonValue, below, count));
  }
  return result;
}

function redactValue(value: JsonValue, place: Place, count: Count): JsonValue {
  if (value === null || typeof value === "boolean") return value;
  if (isPlainObject(value)) return redactObject(value, place, count);
  if (place.isCredential) {
    if (value !== redactedMark) count("key-name");
    return redactedMark;
  }
  if (typeof value === "string") return redactText(value, place, count);
  return Array.isArray(value) ? redactList(value, place, count) : value;
}

/** In an argument list, what follows `--api-key` is its value. */
function redactList(items: readonly JsonValue[], place: Place, count: Count): JsonValue {
  return items.map((item, index) => {
    const before = items[index - 1];
    const isFlagValue =
      typeof item === "string" &&
      !item.startsWith("-") &&
      typeof before === "string" &&
      /^--?[\w.-]+$/.test(before);
    return redactValue(
      item,
      isFlagValue && isCredentialName(before) ? { ...place, isCredential: true } : place,
      count,
    );
  });
}

function redactText(text: string, place: Place, count: Count): string {
  return replaceCredentials(text, { isHeader: place.isHeader }, ({ rule, value }) => {
    if (value !== redactedMark) count(rule);
    return redactedMark;
  });
}
