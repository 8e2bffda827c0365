import type { z } from "zod";

import { AssayError } from "../../errors/assay-error.ts";
import type { RunnerMap } from "../../runners/map.ts";
import { fromWire } from "../../schema/codec.ts";
import { rowFileSchema, type SuiteSpecFrame, suiteSpecFrameSchema } from "../../schema/suite.ts";
import { describeKind, isPlainObject } from "../../support/json.ts";
import {
  buildMetrics,
  nameOfTaskPlace,
  readTaskPlace,
  readTaskSpecs,
  type TaskContext,
  type TaskPlace,
  taskPlaceSchema,
} from "./read-tasks.ts";
import {
  noImportedTrials,
  readTrialFile,
  readTrialSpecs,
  type TrialsOfSuite,
} from "./read-trials.ts";
import type { MetricResolver } from "./resolve-metrics.ts";
import { targetFromSpec } from "./resolve-target.ts";
import type { SpecFile } from "./spec-file.ts";
import { type SuiteParts, secretDefinitions } from "./suite-parts.ts";

interface SpecContext extends TaskContext {
  readonly baseName: string;
  readonly runners: RunnerMap;
  readonly resolver: MetricResolver;
}

const code = "ASSAY_SUITE_INVALID";

/** The parts of a YAML or JSON suite. */
export async function partsOfSpec(file: SpecFile, context: SpecContext): Promise<SuiteParts> {
  const spec = readFrame(file);
  const hasTarget = spec.target !== undefined && spec.target !== null;
  const hasTrials = spec.trials !== undefined && spec.trials !== null;
  if (hasTarget && hasTrials)
    throw new AssayError(code, `${file.place(["trials"])}: give a target or trials, not both`);
  const metrics = await buildMetrics(spec.metrics, context.metricFromConfig, (index, key) =>
    file.place(["metrics", index, ...key]),
  );
  return {
    name: spec.name ?? context.baseName,
    ...tasksOf(spec.tasks, file, context),
    metrics: context.resolver.resolve(metrics, `${file.place(["metrics"])}: metrics`),
    target: hasTarget ? await targetFromSpec(spec.target, file, context.runners) : null,
    ...(hasTrials ? await trialsOf(spec.trials, file, context) : noImportedTrials),
    trialsPerTask: spec.trialsPerTask,
    concurrency: spec.maxConcurrentTasks,
    scoringConcurrency: spec.maxConcurrentTasks,
    failFast: spec.failFast,
    labels: spec.labels,
    secrets: secretDefinitions(spec.secrets),
  };
}

function readFrame(file: SpecFile): SuiteSpecFrame {
  const { value } = file;
  if (!isPlainObject(value)) {
    throw new AssayError(
      code,
      `${file.place([])}: the suite is ${describeKind(value)}; expected the keys tasks, target, metrics`,
    );
  }
  if (typeof value["trials"] === "number") {
    throw new AssayError(
      code,
      `${file.place(["trials"])}: trials are rows made elsewhere; did you mean trials_per_task: ${value["trials"]}?`,
    );
  }
  const spec = fromWire(suiteSpecFrameSchema, value, {
    source: file.place([]),
    place: file.place,
    code,
  });
  if (spec.tasks === undefined) throw new AssayError(code, `${file.place([])}: tasks is missing`);
  return spec;
}

function tasksOf(
  tasks: unknown,
  file: SpecFile,
  context: TaskContext,
): Pick<SuiteParts, "tasks" | "tasksFrom"> {
  if (Array.isArray(tasks)) {
    const place = (path: readonly PropertyKey[]) => file.place(["tasks", ...path]);
    return { tasks: readTaskSpecs(tasks, place, context), tasksFrom: null };
  }
  const schema = taskPlaceSchema(isPlainObject(tasks) ? tasks : {});
  const from: TaskPlace = fileOf(tasks, "tasks", { file, schema });
  return { tasks: readTaskPlace(from, context), tasksFrom: nameOfTaskPlace(from) };
}

async function trialsOf(
  trials: unknown,
  file: SpecFile,
  context: TaskContext,
): Promise<TrialsOfSuite> {
  if (Array.isArray(trials))
    return readTrialSpecs(trials, (path) => file.place(["trials", ...path]));
  const { jsonl } = fileOf(trials, "trials", { file, schema: rowFileSchema });
  return await readTrialFile({ jsonl, ...context });
}

interface FileShape<T extends z.ZodType> {
  readonly file: SpecFile;
  readonly schema: T;
}

/** A path, or `{ jsonl: <path> }`. */
function fileOf<T extends z.ZodType>(
  value: unknown,
  key: string,
  { file, schema }: FileShape<T>,
): z.output<T> {
  const place = (path: readonly PropertyKey[]) => file.place([key, ...path]);
  const wire = typeof value === "string" && value !== "" ? { jsonl: value } : value;
  if (isPlainObject(wire)) return fromWire(schema, wire, { source: place([]), place, code });
  throw new AssayError(
    code,
    `${place([])}: ${key} is ${describeKind(value)}; expected a list, or the path of a JSONL file`,
  );
}
