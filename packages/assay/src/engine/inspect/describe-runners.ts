import type { RunnerMap } from "../../runners/map.ts";
import { wireJsonSchema } from "../../schema/json-schema.ts";
import type { JsonValue } from "../../support/json.ts";
import { toSnakeCase } from "../../support/names.ts";
import { isFunctionSchema, type Option, type OptionRole } from "../../support/options.ts";

export interface RunnerDescription {
  readonly name: string;
  readonly description: string;
  /** What must be installed, for people. */
  readonly needs: readonly string[];
  readonly options: readonly OptionDescription[];
}

export interface OptionDescription {
  /** As in YAML and in `--set target.<name>`. */
  readonly name: string;
  readonly role: OptionRole;
  /** Why an operational option cannot change results. */
  readonly why: string | null;
  readonly description: string;
  readonly isRequired: boolean;
  /** JSON Schema of its values; `{ "function": true }` for one that only code can give. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly default: JsonValue;
}

/** Every runner with its options, roles and defaults. */
export async function describeRunners(runners: RunnerMap): Promise<RunnerDescription[]> {
  const descriptions: RunnerDescription[] = [];
  for (const load of Object.values(runners)) {
    const { definition } = await load();
    const { name, description, needs, options } = definition;
    descriptions.push({
      name,
      description,
      needs,
      options: Object.entries(options).map(describeOption),
    });
  }
  return descriptions;
}

function describeOption([name, { schema, role, why }]: [string, Option]): OptionDescription {
  const isFunction = isFunctionSchema(schema);
  const {
    $schema: _dialect,
    default: given,
    ...json
  } = isFunction ? { function: true } : wireJsonSchema(schema);
  const preset = schema.safeParse(undefined);
  return {
    name: toSnakeCase(name),
    role,
    why,
    description: schema.description ?? "",
    isRequired: !preset.success,
    schema: json,
    default: isFunction ? functionName(preset.data) : ((given as JsonValue | undefined) ?? null),
  };
}

function functionName(value: unknown): string | null {
  const { module, name } = (value ?? {}) as { readonly module?: string; readonly name?: string };
  return name === undefined ? null : module === undefined ? name : `${module}#${name}`;
}
