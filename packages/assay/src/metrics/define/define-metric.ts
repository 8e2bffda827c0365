import type { z } from "zod";

import type {
  Metric,
  MetricContext,
  MetricInput,
  MetricNeed,
  MetricOutputKind,
  MetricOutputSpec,
  MetricResult,
  MetricTask,
  PreflightContext,
} from "../../contracts/metric.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { fromWire, parseValue, toWire } from "../../schema/codec.ts";
import { wireJsonSchema } from "../../schema/json-schema.ts";
import type { JsonObject, JsonValue } from "../../support/json.ts";
import { promising } from "./compute-at-once.ts";

/** One value that a metric gives for each trial. */
export interface OutputDefinition {
  /** Name of the output, in scores and reports. */
  readonly name: string;
  /** `continuous` and `discrete` are numbers, `boolean` is a truth value, `label` a text, `model` data of a schema. */
  readonly kind: MetricOutputKind;
  /** What it says, and which direction is better. */
  readonly description?: string;
  /**
   * Value on a trial that did not end well and lacks what the metric reads. Default 0, false for a boolean, and
   * "unscored" for labels and models, which have no such value.
   */
  readonly absent?: MetricOutputSpec["absent"];
  readonly model?: NonNullable<MetricOutputSpec["model"]>;
}

interface OutputValue {
  readonly continuous: number | boolean;
  readonly discrete: number | boolean;
  readonly boolean: boolean;
  readonly label: string;
  readonly model: JsonValue;
}

/** What `compute` gives: each output that is declared, once. */
export interface DefinedResult<O extends readonly OutputDefinition[]>
  extends Pick<MetricResult, "diagnostics"> {
  /** A value of the declared kind by the declared name; null, or a number that is not finite, says: not scored. */
  readonly outputs: { readonly [D in O[number] as D["name"]]: OutputValue[D["kind"]] | null };
}

/**
 * `P` is what `prepare` makes of the configuration, once; without `prepare` it is the configuration. `O` is the list of
 * outputs; where it is made from the configuration, their names and kinds are checked when the metric has run.
 */
export interface MetricDefinition<
  S extends z.ZodObject,
  P = z.output<S>,
  O extends readonly OutputDefinition[] = readonly OutputDefinition[],
> {
  /** Name of the metric, in suites, scores and reports. */
  readonly type: string;
  /** Raise it when the same configuration gives other scores. Default null. */
  readonly version?: string;
  /** One sentence: what is measured, its range, and which direction is better. */
  readonly description: string;
  /** Strict, camelCase; every setting that shapes scores. */
  readonly config: S;
  /** The values that it gives for each trial, or what they are for a configuration. */
  readonly outputs: O | ((config: z.output<S>) => readonly OutputDefinition[]);
  /** What it reads of a trial. */
  readonly needs?: readonly MetricNeed[] | ((prepared: P) => readonly MetricNeed[]);
  /** Milliseconds for one trial. */
  readonly timeoutMs?: number | ((config: z.output<S>) => number);
  /** Further tries after a throw. Default 0. */
  readonly retries?: number;
  /**
   * Compiles templates and the like. A throw here refuses the configuration.
   * Write it before `needs` and `compute`: the compiler takes their types from it, in order.
   */
  prepare?(config: z.output<S>): P;
  /** Once, before the first trial: throws when the metric cannot work here. */
  preflight?(prepared: P, context: PreflightContext): Promise<void>;
  /** Before the first trial: throws when the task lacks what the metric needs of it. */
  checkTask?(task: MetricTask, prepared: P): void;
  /** Digest of what it reads for one task besides its settings, or null. Throws when that is not there. */
  contentDigest?(task: MetricTask, prepared: P, context: PreflightContext): Promise<string | null>;
  /** Scores one trial. A throw is a failure of the metric and is never charged to the agent. */
  compute(
    input: MetricInput,
    prepared: P,
    context: MetricContext,
  ): DefinedResult<O> | Promise<DefinedResult<O>>;
}

type Options<S extends z.ZodObject> =
  Record<never, never> extends z.input<S> ? [options?: z.input<S>] : [options: z.input<S>];

/** Settings of these keys and no others. Named, so that what is written beside a key is shown where it is used. */
export type StrictSchema<T extends z.core.$ZodShape> = z.ZodObject<T, z.core.$strict>;

/** Makes metrics of one type. */
export interface MetricFactory<S extends z.ZodObject = z.ZodObject> {
  /** From settings as TypeScript writes them. Throws `ASSAY_CONFIG_UNKNOWN_KEY`, `ASSAY_CONFIG_INVALID`. */
  (...options: Options<S>): Metric;
  readonly type: string;
  readonly description: string;
  readonly schema: S;
  /** From settings as YAML writes them, without `type`. `source` is named in errors. */
  fromConfig(config: JsonObject, source?: string): Metric;
  /** JSON Schema of the settings as YAML writes them. */
  jsonSchema(): Record<string, unknown>;
}

/**
 * Defines a metric and gives its factory: `const m = defineMetric({...}); metrics: [m({...})]`.
 * Throws `ASSAY_CONFIG_INVALID` when the definition itself is wrong.
 */
export function defineMetric<
  S extends z.ZodObject,
  P = z.output<S>,
  const O extends readonly OutputDefinition[] = readonly OutputDefinition[],
>(definition: MetricDefinition<S, P, O>): MetricFactory<S> {
  const { type, description, config: schema } = definition;
  if (typeof type !== "string" || type.trim() === "")
    throw wrong("a metric", "needs a type that is not empty");
  const here = `metric "${type}"`;
  const create = (...[options]: Options<S>) =>
    build(definition, parseValue(schema, options ?? {}, { source: here }));
  return Object.assign(create, {
    type,
    description,
    schema,
    fromConfig: (config: JsonObject, source = here) =>
      build(definition, fromWire(schema, config, { source })),
    jsonSchema: () => wireJsonSchema(schema),
  });
}

function wrong(source: string, problem: string): AssayError {
  return new AssayError("ASSAY_CONFIG_INVALID", `${source}: ${problem}`);
}

function build<S extends z.ZodObject, P, O extends readonly OutputDefinition[]>(
  definition: MetricDefinition<S, P, O>,
  config: z.output<S>,
): Metric {
  const { type, version, outputs, needs, timeoutMs, retries, prepare } = definition;
  const { preflight, checkTask, contentDigest } = definition;
  // Without `prepare` the two types are the same: see `MetricDefinition`.
  const prepared =
    prepare === undefined ? (config as unknown as P) : prepare.call(definition, config);
  const limit = typeof timeoutMs === "function" ? timeoutMs(config) : timeoutMs;
  return Object.freeze({
    type,
    version: version ?? null,
    config: toWire(definition.config, config) as JsonObject,
    outputs: outputSpecs(type, typeof outputs === "function" ? outputs(config) : outputs),
    needs: typeof needs === "function" ? needs(prepared) : (needs ?? []),
    ...(limit === undefined ? {} : { timeoutMs: limit }),
    ...(retries === undefined ? {} : { retries }),
    ...(preflight === undefined
      ? {}
      : {
          preflight: (context: PreflightContext) => preflight.call(definition, prepared, context),
        }),
    ...(checkTask === undefined
      ? {}
      : { checkTask: (task: MetricTask) => checkTask.call(definition, task, prepared) }),
    ...(contentDigest === undefined
      ? {}
      : {
          contentDigest: (task: MetricTask, context: PreflightContext) =>
            contentDigest.call(definition, task, prepared, context),
        }),
    compute: promising((input, context) => definition.compute(input, prepared, context)),
  });
}

function outputSpecs(type: string, outputs: readonly OutputDefinition[]): MetricOutputSpec[] {
  const source = `metric "${type}"`;
  if (outputs.length === 0) throw wrong(source, "declares no output");
  const names = outputs.map(({ name }) => name);
  const known = new Set<string>();
  const double = names.find((name) => known.size === known.add(name).size);
  if (double !== undefined) throw wrong(source, `declares the output "${double}" twice`);
  if (names.includes("")) throw wrong(source, "declares an output without a name");
  return outputs.map(({ name, kind, description, absent, model }) => ({
    name,
    kind,
    description: description ?? null,
    absent: absent ?? absentByDefault[kind],
    ...(model === undefined ? {} : { model }),
  }));
}

const absentByDefault: Readonly<Record<MetricOutputKind, MetricOutputSpec["absent"]>> = {
  continuous: 0,
  discrete: 0,
  boolean: false,
  label: "unscored",
  model: "unscored",
};
