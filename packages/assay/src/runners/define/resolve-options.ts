import type { EffectiveOptions, RunnerBinding } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { fieldsFromWire, parseFields } from "../../schema/codec.ts";
import { copyPlain, freezePlain, isPlainObject } from "../../support/json.ts";
import { toSnakeCase } from "../../support/names.ts";
import {
  isFunctionSchema,
  type OptionOrigin,
  type OptionsOutput,
  type OptionTable,
  schemasOf,
} from "../../support/options.ts";
import { noteOrigin } from "./option-origins.ts";
import { applyOverride } from "./option-overrides.ts";
import { type RecordRequest, recordOptions } from "./record-options.ts";

/** The options that run, and the same options as they are recorded. Both come from one frozen object. */
export interface ResolvedOptions<T extends OptionTable> {
  readonly values: OptionsOutput<T>;
  readonly effective: EffectiveOptions;
}

export interface OptionsRequest<T extends OptionTable> extends RecordRequest {
  readonly table: T;
  /** What the suite or program gave, camelCase. */
  readonly given: unknown;
}

export const unboundBinding: RunnerBinding = { suiteName: "", baseDir: "", overrides: [] };

export function resolveOptions<T extends OptionTable>(
  request: OptionsRequest<T>,
): ResolvedOptions<T> {
  const { runner, table, given, binding } = request;
  const schemas = schemasOf(table);
  const source = { source: `options of ${runner}` };
  // Parsed before the overrides as well: what the suite gives is right or wrong by itself.
  const defaulted = parseFields(schemas, given ?? {}, source);
  const raw: Record<string, unknown> = isPlainObject(given) ? { ...given } : {};
  const origins: Record<string, OptionOrigin> = {};
  for (const name of Object.keys(table)) {
    const isGiven = isPlainObject(given) && given[name] !== undefined;
    origins[toSnakeCase(name)] = isGiven ? "suite" : "default";
  }
  for (const override of binding.overrides) {
    applyOverride(raw, override, { runner, table, defaulted });
    noteOrigin(origins, override);
  }
  const parsed = binding.overrides.length === 0 ? defaulted : parseFields(schemas, raw, source);
  // A copy: the caller's own objects stay his, to change and to keep.
  const values = freezePlain(copyPlain(parsed)) as OptionsOutput<T>;
  return { values, effective: freezePlain({ ...recordOptions(request, values), origins }) };
}

/** Options in the wire form of a YAML target. Functions cannot be written there. */
export function optionsFromWire<T extends OptionTable>(
  runner: string,
  table: T,
  wire: unknown,
): unknown {
  const needed = Object.entries(table).filter(([, option]) => isFunctionSchema(option.schema));
  for (const [name, option] of needed) {
    if (!option.schema.safeParse(undefined).success) {
      throw new AssayError(
        "ASSAY_CONFIG_INVALID",
        `target ${runner}: its option "${name}" is a function and cannot be written in YAML or JSON`,
        {
          remedy: "Write the suite as a TypeScript module.",
        },
      );
    }
  }
  const parsed = fieldsFromWire(schemasOf(table), wire, { source: `target ${runner}` });
  const isGiven = (name: string) => isPlainObject(wire) && Object.hasOwn(wire, toSnakeCase(name));
  return Object.fromEntries(Object.entries(parsed).filter(([name]) => isGiven(name)));
}
