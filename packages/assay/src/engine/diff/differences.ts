import { canonicalJson } from "../../support/canonical-json.ts";
import { isPlainObject, type JsonObject, type JsonValue } from "../../support/json.ts";
import { compareText } from "../../support/natural-order.ts";

/** A value that one of two bundles has. */
export interface SideValue {
  readonly value: JsonValue;
  /** Where it came from, where that is recorded: `default`, `suite`, `environment`, `flag`, `call`, `runner`. */
  readonly origin?: string;
}

/** Something that two bundles have not alike. */
export interface Difference {
  readonly name: string;
  /** Null: the bundle does not have it. */
  readonly a: SideValue | null;
  readonly b: SideValue | null;
}

/** The entries of two maps that differ, by name. */
export function mapDifferences(a: JsonObject, b: JsonObject): readonly Difference[] {
  return namesIn(a, b).flatMap((name) => differing(name, ownValue(a, name), ownValue(b, name)));
}

/** The leaves of two trees that differ, by their dotted names. Lists are leaves. */
export function treeDifferences(a: JsonObject, b: JsonObject, prefix = ""): readonly Difference[] {
  return namesIn(a, b).flatMap((key) => {
    const name = `${prefix}${key}`;
    const [one, other] = [ownValue(a, key), ownValue(b, key)];
    if (!isTreeOrNone(one) || !isTreeOrNone(other)) return differing(name, one, other);
    const below = treeDifferences(one ?? {}, other ?? {}, `${name}.`);
    // An empty one where there is none has nothing below that differs.
    return below.length > 0 ? below : differing(name, one, other);
  });
}

export function differing(
  name: string,
  a: JsonValue | undefined,
  b: JsonValue | undefined,
): readonly Difference[] {
  if (a === undefined && b === undefined) return [];
  if (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b)) return [];
  return [{ name, a: sideValue(a), b: sideValue(b) }];
}

function sideValue(value: JsonValue | undefined): SideValue | null {
  return value === undefined ? null : { value };
}

function namesIn(a: JsonObject, b: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(compareText);
}

function ownValue(map: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** What has parts, or may have had some. A fact that is not known is a leaf, with its reason. */
function isTreeOrNone(value: JsonValue | undefined): value is JsonObject | undefined {
  return value === undefined || (isPlainObject(value) && !Object.hasOwn(value, "unknown"));
}
