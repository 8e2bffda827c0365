import { isPlainObject, type JsonObject, type JsonValue, setOwn } from "../../support/json.ts";
import { isCredentialHeader, isCredentialName } from "./credential-names.ts";
import { replaceCredentials } from "./credential-text.ts";
import { isLoginInBase64, isLoginName } from "./login-text.ts";
import { redactedMark } from "./secret.ts";

/** Told of each value that is taken out, by which rule. */
type Tell = (rule: string, value: JsonValue) => void;

/** What the names above a value say about it. */
interface Place {
  readonly isCredential: boolean;
  readonly isHeader: boolean;
}

/**
 * Free-form settings without their credentials. A value is one when a name on its path says so: `<redacted>` takes the
 * place of scalars and of whole lists, objects and all names stay; `{ name, value }` and `{ key, value }` are read as one setting. Inside any
 * text, user-info of URLs and named credentials (`key=value`, `Name: value`) are replaced. Counts of tokens, booleans
 * and null are never credentials.
 */
export function redactSettings(settings: JsonObject, tell: Tell = () => {}): JsonObject {
  return redactObject(settings, { isCredential: false, isHeader: false }, tell);
}

function redactObject(value: JsonObject, place: Place, tell: Tell): JsonObject {
  const isNamed = (name: string) =>
    isCredentialName(name) || (place.isHeader && isCredentialHeader(name));
  const named = typeof value["name"] === "string" ? value["name"] : value["key"];
  const isNamedPair = typeof named === "string" && isNamed(named);
  const result: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    const isLogin = isLoginName(key) && isLoginText(value[key]);
    const isNamedValue = isNamed(key) || (isNamedPair && key === "value");
    const below: Place = {
      isCredential: place.isCredential || isNamedValue || isLogin,
      isHeader: place.isHeader || /headers?$/i.test(key),
    };
    setOwn(result, key, redactValue(value[key] as JsonValue, below, tell));
  }
  return result;
}

function isLoginText(value: JsonValue | undefined): boolean {
  return typeof value === "string" && isLoginInBase64(value);
}

function redactValue(value: JsonValue, place: Place, tell: Tell): JsonValue {
  if (value === null || typeof value === "boolean") return value;
  if (isPlainObject(value)) return redactObject(value, place, tell);
  if (place.isCredential) {
    if (value !== redactedMark) tell("key-name", value);
    return redactedMark;
  }
  if (typeof value === "string") return redactText(value, place, tell);
  return Array.isArray(value) ? redactList(value, place, tell) : value;
}

/** In an argument list, what follows `--api-key` is its value. */
function redactList(items: readonly JsonValue[], place: Place, tell: Tell): JsonValue {
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
      tell,
    );
  });
}

function redactText(text: string, place: Place, tell: Tell): string {
  return replaceCredentials(text, { isHeader: place.isHeader }, ({ rule, value }) => {
    if (value !== redactedMark) tell(rule, value);
    return redactedMark;
  });
}
