import path from "node:path";

import type { EffectiveOptions, OptionOrigin, OptionOverride, RunnerBinding } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { fromWire, parseValue, toWire } from "../../schema/codec.ts";
import { isPathSchema } from "../../schema/path-option.ts";
import { isPlainObject, type JsonObject, type JsonValue, parseJson, setOwn, sortKeys } from "../../support/json.ts";
import { didYouMean, toSnakeCase } from "../../support/names.ts";
import {
  functionIdentity,
  isFunctionSchema,
  type Option,
  type OptionRole,
  type OptionsOutput,
  type OptionTable,
  optionsSchema,
} from "../../support/options.ts";

/** The options that run, and the same options as they are recorded. Both come from one frozen object. */
export interface ResolvedOptions<T extends OptionTable> {
  readonly values: OptionsOutput<T>;
  readonly effective: EffectiveOptions;
}

export interface OptionsRequest<T extends OptionTable> {
  readonly runner: string;
  readonly table: T;
  /** What the suite or program gave, camelCase. */
  readonly given: unknown;
  readonly binding: RunnerBinding;
  /** Removes secrets from what is recorded. */
  readonly redactSettings: (settings: JsonObject) => JsonObject;
}

export const unboundBinding: RunnerBinding = { suiteName: "", baseDir: "", overrides: [] };

export function resolveOptions<T extends OptionTable>(request: OptionsRequest<T>): ResolvedOptions<T> {
  const { runner, table, given, binding } = request;
  const schema = optionsSchema(table);
  const source = { source: `options of ${runner}` };
  const values: Record<string, unknown> = { ...(parseValue(schema, given ?? {}, source) as Record<string, unknown>) };
  const origins: Record<string, OptionOrigin> = {};
  for (const name of Object.keys(table)) {
    const isGiven = isPlainObject(given) && given[name] !== undefined;
    origins[toSnakeCase(name)] = isGiven ? "suite" : "default";
  }
  for (const override of binding.overrides) {
    const name = applyOverride(values, override, { runner, table });
    origins[toSnakeCase(name)] = override.origin;
  }
  const frozen = deepFreeze(parseValue(schema, values, source)) as OptionsOutput<T>;
  return { values: frozen, effective: { ...recordOptions(request, frozen), origins } };
}

/** Options in the wire form of a YAML target. Functions cannot be written there. */
export function optionsFromWire<T extends OptionTable>(runner: string, table: T, wire: unknown): unknown {
  const needed = Object.entries(table).filter(([, option]) => isFunctionSchema(option.schema));
  for (const [name, option] of needed) {
    if (!option.schema.safeParse(undefined).success) {
      throw new AssayError("ASSAY_CONFIG_INVALID", `target ${runner}: its option "${name}" is a function and cannot be written in YAML or JSON`, {
        remedy: "Write the suite as a TypeScript module.",
      });
    }
  }
  const parsed = fromWire(optionsSchema(table), wire, { source: `target ${runner}` }) as Record<string, unknown>;
  const isGiven = (name: string) => isPlainObject(wire) && Object.hasOwn(wire, toSnakeCase(name));
  return Object.fromEntries(Object.entries(parsed).filter(([name]) => isGiven(name)));
}

function applyOverride(
  values: Record<string, unknown>,
  override: OptionOverride,
  { runner, table }: { readonly runner: string; readonly table: OptionTable },
): string {
  const [first = "", ...rest] = override.path;
  const name = Object.keys(table).find((key) => toSnakeCase(key) === first);
  const option = name === undefined ? undefined : table[name];
  const at = `target.${override.path.join(".")}`;
  if (name === undefined || option === undefined) {
    const hint = didYouMean(first, Object.keys(table).map(toSnakeCase));
    throw new AssayError("ASSAY_CONFIG_UNKNOWN_KEY", `${at}: ${runner} has no option "${first}"${hint}`, {
      data: { path: override.path },
    });
  }
  if (isFunctionSchema(option.schema)) {
    throw new AssayError("ASSAY_CONFIG_INVALID", `${at}: a function cannot be set from outside the suite`);
  }
  const accepts = (value: unknown) => parseOne(option, rest.length === 0 ? value : withPath(values[name], rest, value));
  values[name] = firstAccepted(candidatesOf(override), accepts, at);
  return name;
}

/** The readings of a flag's text, most literal first; the option's schema picks. */
function candidatesOf({ value, isText }: OptionOverride): readonly JsonValue[] {
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

function firstAccepted(
  readings: readonly JsonValue[],
  accepts: (value: unknown) => { readonly value: unknown } | { readonly problem: string },
  at: string,
): unknown {
  let problem = "";
  for (const reading of readings) {
    const result = accepts(reading);
    if ("value" in result) return result.value;
    problem = result.problem;
  }
  throw new AssayError("ASSAY_CONFIG_INVALID", `${at}: ${problem} (given: ${JSON.stringify(readings[0])})`);
}

function parseOne(option: Option, value: unknown): { readonly value: unknown } | { readonly problem: string } {
  const parsed = option.schema.safeParse(value);
  if (parsed.success) return { value };
  return { problem: parsed.error.issues.map((issue) => issue.message).join("; ") };
}

function withPath(base: unknown, [segment = "", ...rest]: readonly string[], value: unknown): unknown {
  const copy: Record<string, unknown> = isPlainObject(base) ? { ...base } : {};
  setOwn(copy, segment, rest.length === 0 ? value : withPath(copy[segment], rest, value));
  return copy;
}

function recordOptions<T extends OptionTable>(
  { table, binding, redactSettings }: OptionsRequest<T>,
  values: OptionsOutput<T>,
): Omit<EffectiveOptions, "origins"> {
  const config: Record<string, JsonValue> = {};
  const shaping: Record<string, JsonValue> = {};
  const roles: Record<string, OptionRole> = {};
  for (const [name, option] of Object.entries(table)) {
    const key = toSnakeCase(name);
    const recorded = recordValue(option, (values as Record<string, unknown>)[name], binding);
    roles[key] = option.role;
    setOwn(config, key, recorded);
    if (option.role === "shapes") setOwn(shaping, key, recorded);
  }
  return {
    config: redactSettings(sortKeys(config) as JsonObject),
    shaping: redactSettings(sortKeys(shaping) as JsonObject),
    roles,
  };
}

function recordValue(option: Option, value: unknown, binding: RunnerBinding): JsonValue {
  if (value === undefined || value === null) return null;
  if (option.role === "credential") return "<credential>";
  if (isFunctionSchema(option.schema)) {
    return functionIdentity(value as { readonly name: string; readonly module?: string }, binding.suiteName);
  }
  if (isPathSchema(option.schema) && typeof value === "string") return describePath(value, binding.baseDir);
  return toWire(option.schema, value) as JsonValue;
}

/** A path below the suite's folder is recorded relative to it, so that two checkouts record the same bytes. */
function describePath(given: string, baseDir: string): string {
  if (baseDir === "" || !path.isAbsolute(given)) return given;
  const relative = path.relative(baseDir, given);
  const isInside = relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative);
  return isInside ? `./${relative.split(path.sep).join("/")}` : given;
}

function deepFreeze<T>(value: T): T {
  if (Array.isArray(value) || isPlainObject(value)) {
    for (const item of Object.values(value as object)) deepFreeze(item);
    Object.freeze(value);
  }
  return value;
}
