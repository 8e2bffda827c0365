import { z } from "zod";
import { optionOrigins, optionRoles } from "../support/options.ts";
import { environmentSchema } from "./environment.ts";
import { fact } from "./fact.ts";
import { dataMap, jsonObject, name, stringMap } from "./free-form.ts";
import { invocationSchema } from "./invocation.ts";
import { runStatuses } from "./manifest.ts";
import { runnerInfoSchema } from "./run-metadata.ts";
import { wireNamed } from "./shape.ts";

export const statementType = "https://in-toto.io/Statement/v1";
export const provenancePredicateType = "tag:assay,2026:provenance/v1";

const sha256 = () => z.string().regex(/^[0-9a-f]{64}$/, "expected a SHA-256 in hex");
const count = () => z.int().nonnegative();

const digestsSchema = z.strictObject({
  settings: z.string().describe("What was asked of the target."),
  resolved: z.string().describe("What was asked, and what it turned out to mean here."),
  plan: z.string().describe("What was to be done."),
  tasks: z.string().describe("The selected tasks, in order."),
  code: fact(z.string()).describe(
    "The suite and each local module that it loads, its parameters, and the lockfile for its packages.",
  ),
  content: z
    .string()
    .nullable()
    .describe("The bytes that tasks refer to: seeds, held-out files; null without any."),
});

const codeFileSchema = z.strictObject({
  path: name().describe("Relative to the suite."),
  sha256: sha256().describe("Of its bytes."),
  loaded: z
    .enum(["before_run", "during_run"])
    .default("before_run")
    .describe("What was first loaded during the run is no part of the code digest."),
});

const parentRelations = ["rescored", "imported", "resumed"] as const;

const parentSchema = z.strictObject({
  relation: z.enum(parentRelations).describe("What was done with its trials."),
  runId: name().describe("Which run it was."),
  target: runnerInfoSchema.nullable().describe("What was evaluated then."),
  bundleDigest: fact(z.string()).describe("`sha256:` and the digest of its provenance.json."),
  digests: fact(jsonObject()).describe("Its own digests."),
  tasksLeftOut: count()
    .default(0)
    .describe("Tasks of the suite of which it holds no trial; they are not scored again."),
});

const modelsSchema = z.strictObject({
  requested: fact(z.string()).describe(
    "What was asked for, wherever among the options it was named.",
  ),
  setBy: fact(
    z.strictObject({
      option: z.string().describe("Dotted path."),
      origin: z.enum(optionOrigins).describe("Where its value came from."),
    }),
  ).describe("The option that names it."),
  served: fact(z.array(z.string())).describe("What providers said they used."),
});

const promptSchema = fact(
  z.strictObject({
    option: z.string().describe("Dotted path of the option that makes the prompts."),
    digest: fact(z.string()).describe(
      "Of the option's value, and of the code where it is a function.",
    ),
  }),
);

const sandboxSchema = z.strictObject({
  isolation: fact(z.enum(["none", "os_sandbox", "container"])).describe(
    "What keeps the agent from the machine.",
  ),
  provider: fact(z.string()).describe("What enforces it."),
  image: fact(z.string()).describe("The reference that was asked for."),
  imageDigest: fact(z.array(z.string())).describe("The content that ran."),
  limits: fact(jsonObject()).describe("Of time, memory and the like; names with units."),
  network: fact(z.string()).describe("`none`, `unrestricted`, or the name of a policy."),
});

const metricSchema = z.strictObject({
  type: name().describe("Which metric."),
  version: z.string().nullable().describe("What it says of itself."),
  digest: z.string().describe("Of its settings, outputs and version."),
  templates: fact(dataMap(z.string())).describe("Digests of its templates, by setting."),
  judge: fact(
    z.strictObject({
      model: z.string().describe("Its name."),
      digest: z.string().describe("Of prompts and settings."),
    }),
  ).describe("The model that judges, and the digest of how it is asked."),
});

const tasksSchema = z.strictObject({
  count: count().describe("How many."),
  trialsPerTask: z.int().positive().describe("Repetitions of each."),
  location: fact(z.string()).describe(
    "Relative to the suite's folder; its content is `digests.tasks`.",
  ),
});

const timeSchema = z.strictObject({
  attemptsMs: fact(z.number().nonnegative()).describe(
    "From started to ended, of the attempts that tell it.",
  ),
  queueMs: z.number().nonnegative().describe("From planned to started."),
  phasesMs: fact(dataMap(z.number().nonnegative())).describe("By phase of an attempt."),
});

const usageSchema = z.strictObject({
  attempts: count().describe("All that were begun."),
  promptTokens: fact(count()).describe("Tokens sent to models, cached ones included."),
  completionTokens: fact(count()).describe("Tokens that models wrote."),
  costUsd: fact(z.number()).describe("US dollars."),
  priceTable: fact(z.string()).describe("Version of the prices that costs were made from."),
});

const cacheSchema = z.strictObject({
  attempts: fact(
    z.strictObject({
      hits: count().describe("Answered."),
      misses: count().describe("Not answered."),
    }),
  ).describe("Attempts that a cache answered, and that it did not."),
  promptTokens: fact(count()).describe("Tokens of prompts that came from the provider's cache."),
});

/** Where a section would stand in SLSA's provenance. */
export const slsaParts = [
  "externalParameters",
  "internalParameters",
  "resolvedDependencies",
  "runDetails",
] as const;
type SlsaPart = (typeof slsaParts)[number];

/** The part is an annotation of the JSON Schema, `x-slsa`. */
function section<T extends z.ZodType>(slsa: SlsaPart, schema: T, description: string): T {
  return schema.meta({ "x-slsa": slsa, description });
}

export const provenancePredicateSchema = z.strictObject({
  run: section(
    "runDetails",
    z.strictObject({
      id: name().describe("The run."),
      invocationId: fact(name()).describe("Of the last start; all are in `invocations`."),
      suiteName: name().describe("What the suite calls itself."),
      status: z.enum(runStatuses).describe("How it ended."),
      statusCause: z.string().nullable().describe("Why it is not completed."),
    }),
    "Which run this is, and how it ended.",
  ),
  assay: section("runDetails", environmentSchema.shape.assay, "What evaluated."),
  runner: section(
    "externalParameters",
    runnerInfoSchema.extend({
      // Words of closed lists, also of an option that is named like a credential.
      origins: dataMap(z.enum(optionOrigins)).describe(
        "Where the value of each option came from; of a part of an option that was set apart, by its dotted path.",
      ),
      roles: dataMap(z.enum(optionRoles)).describe(
        "What each option is: shapes, operational or credential.",
      ),
    }),
    "What was evaluated, with the options that took effect.",
  ),
  models: section("externalParameters", modelsSchema, "The models of the target."),
  prompt: section("externalParameters", promptSchema, "What made the prompts."),
  sandbox: section("internalParameters", sandboxSchema, "What the agent ran in."),
  tool: section(
    "resolvedDependencies",
    fact(
      z.strictObject({
        version: fact(z.string()).describe("As it tells it."),
        resolved: jsonObject().describe(
          "What was found that has content: digests of files, images, skills.",
        ),
        observed: jsonObject().describe("What was found besides; it shapes nothing."),
      }),
    ),
    "The tool behind the runner, as it was found.",
  ),
  digests: section("resolvedDependencies", digestsSchema, "Each of its own kind and version."),
  codeFiles: section(
    "resolvedDependencies",
    fact(z.array(codeFileSchema)),
    "Paths relative to the suite.",
  ),
  source: section(
    "resolvedDependencies",
    environmentSchema.shape.source,
    "Where the suite comes from, as it was before the last start.",
  ),
  host: section("internalParameters", environmentSchema.shape.host, "Where the last start ran."),
  tasks: section("externalParameters", tasksSchema, "The selected tasks."),
  parameters: section("externalParameters", stringMap(), "Parameters of the suite."),
  metrics: section("externalParameters", z.array(metricSchema), "What scored."),
  invocations: section(
    "runDetails",
    z.array(invocationSchema).min(1),
    "Each start of the run, first to last.",
  ),
  time: section("runDetails", timeSchema, "Milliseconds, summed over all attempts."),
  usage: section(
    "runDetails",
    usageSchema,
    "Sums over all attempts, lost and superseded ones included.",
  ),
  cache: section("runDetails", cacheSchema, "What caches saved, over all attempts."),
  redactions: section(
    "runDetails",
    z.record(z.string(), count()),
    "What was removed, by rule, by all starts that told their end.",
  ),
  labels: section("externalParameters", dataMap(z.string()), "Tags of the run."),
  parents: section("resolvedDependencies", z.array(parentSchema), "Runs that this one builds on."),
});

/** `provenance.json`: an in-toto Statement v1. */
export const provenanceStatementSchema = z.strictObject({
  _type: z.literal(statementType).describe("Of in-toto."),
  subject: z
    .array(
      z.strictObject({
        name: name().describe("Relative to the bundle."),
        digest: z.strictObject({ sha256: sha256().describe("In hex.") }).describe("Of its bytes."),
      }),
    )
    .min(1)
    .describe("The data files of the bundle."),
  predicateType: wireNamed("predicateType", z.literal(provenancePredicateType)).describe(
    "What the predicate is.",
  ),
  predicate: provenancePredicateSchema.describe("The facts, each a value or why there is none."),
});

export type ParentRelation = (typeof parentRelations)[number];
export type ProvenancePredicate = Readonly<z.output<typeof provenancePredicateSchema>>;
export type ProvenanceStatement = Readonly<z.output<typeof provenanceStatementSchema>>;
