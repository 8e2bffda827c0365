import type { OptionOverride } from "../../contracts/runner.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { fromWire, toWire } from "../../schema/codec.ts";
import { getOwn, isPlainObject, type JsonValue, parseJson, setOwn } from "../../support/json.ts";
import { didYouMean, toSnakeCase } from "../../support/names.ts";
import { isFunctionSchema, type OptionTable } from "../../support/options.ts";

export interface OverrideTarget {
  readonly runner: string;
  readonly table: OptionTable;
  /** The values before any override, defaults filled in: the ground for overrides of parts. */
  readonly defaulted: Readonly<Record<string, unknown>>;
}

/** Sets the option, or the part of one, that the path names. */
export function applyOverride(
  raw: Record<string, unknown>,
  override: OptionOverride,
  { runner, table, defaulted }: OverrideTarget,
): void {
  const at = placeOf(override);
  const [first = "", ...rest] = override.path;
  const name = Object.keys(table).find((key) => toSnakeCase(key) === first);
  const option = name === undefined ? undefined : table[name];
  if (name === undefined || option === undefined) throw unknownOption(override, runner, table);
  if (isFunctionSchema(option.schema)) {
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      `${at}: a function cannot be set from outside the suite`,
      { remedy: "Give it in the suite." },
    );
  }
  const ground = () => toWire(option.schema, raw[name] ?? defaulted[name]);
  const problems: string[] = [];
  for (const reading of readingsOf(override)) {
    const wire = rest.length === 0 ? reading : withPath(ground(), rest, reading);
    try {
      raw[name] = fromWire(option.schema, wire, { source: at });
      return;
    } catch (problem) {
      problems.push(messageOf(problem));
    }
  }
  const shown = option.role === "credential" ? "" : ` (given: ${JSON.stringify(override.value)})`;
  throw new AssayError("ASSAY_CONFIG_INVALID", `${problems.at(-1)}${shown}`);
}

function unknownOption(override: OptionOverride, runner: string, table: OptionTable): AssayError {
  const { path } = override;
  const first = path[0] ?? "";
  const known = Object.keys(table).map(toSnakeCase);
  const hint = didYouMean(first, known) || `; it has ${known.join(", ")}`;
  return new AssayError(
    "ASSAY_CONFIG_UNKNOWN_KEY",
    `${placeOf(override)}: ${runner} has no option "${first}"${hint}`,
    { data: { path } },
  );
}

/** Where it was set, as whoever set it wrote it. */
function placeOf({ path, origin }: OptionOverride): string {
  return origin === "environment"
    ? `ASSAY_SET_TARGET__${path.join("__").toUpperCase()}`
    : `target.${path.join(".")}`;
}

/** The readings of a flag's text, most literal first; the option's schema picks. */
function readingsOf({ value, isText }: OptionOverride): readonly JsonValue[] {
  if (!isText || typeof value !== "string") return [value];
  const readings: JsonValue[] = [];
  if (value === "null") readings.push(null);
  readings.push(value);
  try {
    readings.push(parseJson(value, "flag") as JsonValue);
  } catch {
    // Not JSON: then it is only text.
  }
  return readings;
}

function withPath(
  base: unknown,
  [segment = "", ...rest]: readonly string[],
  value: unknown,
): unknown {
  const copy = Array.isArray(base) ? [...base] : isPlainObject(base) ? { ...base } : {};
  setOwn(copy, segment, rest.length === 0 ? value : withPath(getOwn(copy, segment), rest, value));
  return copy;
}
