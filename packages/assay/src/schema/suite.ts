import { z } from "zod";

import { jsonObject, name, stringMap } from "./free-form.ts";
import { taskFieldsSchema } from "./task.ts";
import { trialRecordSchema } from "./trial.ts";

const count = (defaultValue: number) => z.int().positive().default(defaultValue);

const defaultConcurrency = 4;

const secretName = () =>
  z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable, not a value");

const secretSchema = z.union([
  secretName(),
  z.strictObject({
    name: secretName().describe("Name of the environment variable."),
    allowShort: z.boolean().default(false).describe("Accept a value under 8 bytes."),
  }),
]);

/** What `defineSuite` takes, apart from the parts that are live: tasks, metrics, target, trials. */
export const suiteDefinitionSchema = z.strictObject({
  name: name(),
  tasks: z.unknown().optional(),
  metrics: z.array(z.unknown()).default([]),
  target: z.unknown().optional(),
  importedTrials: z.unknown().optional(),
  trials: count(1),
  concurrency: count(defaultConcurrency),
  scoringConcurrency: z.int().positive().optional(),
  failFast: z.boolean().default(false),
  labels: stringMap().default({}),
  secrets: z.array(secretSchema).default([]),
});

export const metricSpecSchema = z
  .looseObject({ type: name().describe("Name of a metric, as `assay schema` lists them.") })
  .describe("A metric by its type; the other keys are its settings.");

export const targetSpecSchema = z
  .looseObject({ kind: name().describe("Name of a runner, as `assay runners` lists them.") })
  .describe("What is evaluated; the other keys are the options of that runner.");

/** A file with one JSON object per line. */
export const rowFileSchema = z.strictObject({
  jsonl: name().describe("Path of a JSONL file, relative to the suite."),
});

/** How the rows of a file of tasks are written. */
const taskFormats = ["assay", "gym"] as const;

/** A file with one task per line. */
export const taskFileSchema = rowFileSchema.extend({
  format: z
    .enum(taskFormats)
    .default("assay")
    .describe("How its rows are written: as tasks of Assay, or as rows of a NeMo Gym dataset."),
});

/** A dataset of another tool that is a folder with a folder for each task. */
export const taskFolderSchema = z.strictObject({
  directory: name().describe("Path of the folder, relative to the suite."),
  format: z.enum(["harbor"]).describe("Whose dataset it is."),
  taskNames: z
    .array(name())
    .min(1)
    .optional()
    .describe("Names of the folders of the tasks that are wanted; all when absent."),
});

/** A task as it is written in YAML, JSON and JSONL. */
export const taskSpecSchema = taskFieldsSchema.extend({
  metrics: z.array(metricSpecSchema).default([]).describe("Metrics of this task alone."),
});

/** A suite as it is written in YAML or JSON. */
export const suiteSpecSchema = z
  .strictObject({
    name: name().optional().describe("Name of the suite; the file's base name when absent."),
    tasks: z
      .union([z.array(taskSpecSchema).min(1), taskFileSchema, taskFolderSchema, name()])
      .describe(
        "The tasks, the path of a JSONL file with one task per line, or the folder of a dataset.",
      ),
    target: targetSpecSchema.nullable().optional(),
    trials: z
      .union([z.array(trialRecordSchema), rowFileSchema, name()])
      .nullable()
      .optional()
      .describe("Trials made elsewhere, to be scored instead of running a target."),
    trialsPerTask: count(1).describe("How often the target does each task."),
    metrics: z
      .array(metricSpecSchema)
      .default([])
      .describe("Added to every task that has none of that type."),
    maxConcurrentTasks: count(defaultConcurrency).describe(
      "Trials, and scorings, that may go on at once.",
    ),
    failFast: z.boolean().default(false).describe("Stop at the first metric that fails."),
    labels: stringMap().default({}).describe("Labels of the run, by name; they enter no digest."),
    secrets: z
      .array(secretSchema)
      .default([])
      .describe("Names of environment variables that hold secrets."),
  })
  .meta({
    not: {
      required: ["target", "trials"],
      properties: { target: { not: { type: "null" } }, trials: { not: { type: "null" } } },
    },
  });

/** The same with the long parts left open: they are read row by row, so that each problem has a place of its own. */
export const suiteSpecFrameSchema = suiteSpecSchema.extend({
  tasks: z.unknown().optional(),
  trials: z.unknown().optional(),
  target: jsonObject().nullable().optional(),
  metrics: z.array(z.unknown()).default([]),
});

export type TaskFolderFields = Readonly<z.output<typeof taskFolderSchema>>;
export type TaskFileFields = Readonly<z.output<typeof taskFileSchema>>;
export type SuiteFields = Readonly<z.output<typeof suiteDefinitionSchema>>;
export type SuiteSpecFrame = Readonly<z.output<typeof suiteSpecFrameSchema>>;
