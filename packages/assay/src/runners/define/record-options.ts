import path from "node:path";

import type { EffectiveOptions, RunnerBinding } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { redactedMark } from "../../provenance/redaction/secret.ts";
import { toWire } from "../../schema/codec.ts";
import { isPathSchema } from "../../schema/shape.ts";
import {
  type JsonObject,
  type JsonValue,
  setOwn,
  sortKeys,
  whyNotJson,
} from "../../support/json.ts";
import { toSnakeCase } from "../../support/names.ts";
import {
  functionIdentity,
  isFunctionSchema,
  type Option,
  type OptionRole,
  type OptionTable,
} from "../../support/options.ts";
import { isBelow } from "../../support/paths.ts";

export interface RecordRequest {
  readonly runner: string;
  readonly table: OptionTable;
  readonly binding: RunnerBinding;
  /** Removes secrets from what is recorded. */
  readonly redactSettings: (settings: JsonObject) => JsonObject;
}

export function recordOptions(
  { runner, table, binding, redactSettings }: RecordRequest,
  values: Readonly<Record<string, unknown>>,
): Omit<EffectiveOptions, "origins"> {
  const config: Record<string, JsonValue> = {};
  const shaping: Record<string, JsonValue> = {};
  const roles: Record<string, OptionRole> = {};
  for (const [name, option] of Object.entries(table)) {
    const key = toSnakeCase(name);
    const recorded = recordValue(option, values[name], binding);
    const reason = whyNotJson(recorded, key);
    if (reason !== null) throw unrecordable(runner, reason);
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
  if (option.role === "credential") return redactedMark;
  if (isFunctionSchema(option.schema)) {
    return functionIdentity(
      value as { readonly name: string; readonly module?: string },
      binding.suiteName,
    );
  }
  if (isPathSchema(option.schema) && typeof value === "string")
    return describePath(value, binding.baseDir);
  return toWire(option.schema, value) as JsonValue;
}

function unrecordable(runner: string, reason: string): AssayError {
  return new AssayError(
    "ASSAY_CONFIG_INVALID",
    `options of ${runner}: cannot be recorded: ${reason}`,
    {
      remedy:
        "Give functions as `{ name, ... }` by `namedFunction`, and everything else as plain data.",
    },
  );
}

/** A path below the suite's folder is recorded relative to it, so that two checkouts record the same bytes. */
function describePath(given: string, baseDir: string): string {
  if (baseDir === "" || !isBelow(baseDir, given)) return given;
  return `./${path.relative(baseDir, given).split(path.sep).join("/")}`;
}
