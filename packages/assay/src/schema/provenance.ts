import { z } from "zod";
import { optionOrigins, optionRoles } from "../support/options.ts";
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
  path: name(),
  sha256: sha256(),
  loaded: z
    .enum(["before_run", "during_run"])
    .default("before_run")
    .describe("What was first loaded during the run is no part of the code digest."),
});

const parentRelations = ["rescored", "imported", "resumed"] as const;

const parentSchema = z.strictObject({
  relation: z.enum(parentRelations),
  runId: name(),
  target: runnerInfoSchema.nullable().describe("What was evaluated then."),
  bundleDigest: fact(z.string()).describe("`sha256:` and the digest of its provenance.json."),
  digests: fact(jsonObject()).describe("Its own digests."),
  tasksLeftOut: count()
    .default(0)
    .describe("Tasks of the suite of which it holds no trial; they are not scored again."),
});

const hostSchema = z.strictObject({
  os: z.string(),
  osRelease: z.string(),
  architecture: z.string(),
  cpuCount: z.int().positive(),
  nodeVersion: z.string(),
});

export const sourceSchema = z.strictObject({
  commit: fact(z.string()).describe("Of the repository that holds the suite, in full."),
  isDirty: fact(z.boolean()).describe("Tracked files differ from the commit."),
  originUrl: fact(z.string()).describe("Without credentials."),
  lockfile: fact(z.strictObject({ name: z.string(), sha256: sha256() })).describe(
    "The nearest one at or above the suite.",
  ),
});

export const provenancePredicateSchema = z.strictObject({
  run: z.strictObject({
    id: name(),
    suiteName: name(),
    status: z.enum(runStatuses),
    statusCause: z.string().nullable().describe("Why it is not completed."),
  }),
  assay: z.strictObject({ version: z.string() }),
  runner: runnerInfoSchema
    .extend({
      // Words of closed lists, also of an option that is named like a credential.
      origins: dataMap(z.enum(optionOrigins)).describe("Where the value of each option came from."),
      roles: dataMap(z.enum(optionRoles)).describe(
        "What each option is: shapes, operational or credential.",
      ),
    })
    .describe("What was evaluated, with the options that took effect."),
  tool: fact(
    z.strictObject({
      version: fact(z.string()),
      resolved: jsonObject().describe(
        "What was found that has content: digests of files, images, skills.",
      ),
      observed: jsonObject().describe("What was found besides; it shapes nothing."),
    }),
  ),
  digests: digestsSchema,
  codeFiles: fact(z.array(codeFileSchema)).describe("Paths relative to the suite."),
  source: sourceSchema,
  host: hostSchema,
  tasks: z.strictObject({ count: count(), trialsPerTask: z.int().positive() }),
  parameters: stringMap().describe("Parameters of the suite."),
  metrics: z.array(
    z.strictObject({ type: name(), version: z.string().nullable(), digest: z.string() }),
  ),
  invocations: z.array(invocationSchema).min(1).describe("Each start of the run, first to last."),
  usage: z
    .strictObject({
      attempts: count(),
      promptTokens: fact(count()),
      completionTokens: fact(count()),
      costUsd: fact(z.number()),
    })
    .describe("Sums over all attempts, lost and superseded ones included."),
  redactions: z.record(z.string(), count()).describe("What was removed, by rule."),
  labels: dataMap(z.string()),
  parents: z.array(parentSchema).describe("Runs that this one builds on."),
});

/** `provenance.json`: an in-toto Statement v1. */
export const provenanceStatementSchema = z.strictObject({
  _type: z.literal(statementType),
  subject: z
    .array(z.strictObject({ name: name(), digest: z.strictObject({ sha256: sha256() }) }))
    .min(1)
    .describe("The data files of the bundle."),
  predicateType: wireNamed("predicateType", z.literal(provenancePredicateType)),
  predicate: provenancePredicateSchema,
});

export type ParentRelation = (typeof parentRelations)[number];
export type SourceRecord = Readonly<z.output<typeof sourceSchema>>;
export type ProvenancePredicate = Readonly<z.output<typeof provenancePredicateSchema>>;
export type ProvenanceStatement = Readonly<z.output<typeof provenanceStatementSchema>>;
