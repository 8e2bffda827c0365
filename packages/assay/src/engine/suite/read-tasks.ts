import type { TaskOfRow } from "../../contracts/dataset.ts";
import type { FileStore } from "../../contracts/files.ts";
import type { Metric } from "../../contracts/metric.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { datasetFormats, folderFormats } from "../../runners/datasets.ts";
import { fromWire, parseValue } from "../../schema/codec.ts";
import type { DecodeSource } from "../../schema/decode-problems.ts";
import {
  metricSpecSchema,
  type TaskFileFields,
  type TaskFolderFields,
  taskFileSchema,
  taskFolderSchema,
  taskSpecSchema,
} from "../../schema/suite.ts";
import { type TaskFields, taskFieldsSchema } from "../../schema/task.ts";
import { canonicalJson } from "../../support/canonical-json.ts";
import { copyPlain, describeKind, isPlainObject, type JsonObject } from "../../support/json.ts";
import { readRows } from "./read-rows.ts";
import { atPlace } from "./source-place.ts";

/** A task of a source, read but not yet checked against the others and its metrics. */
export type TaskDraft =
  /** A row that is no task of its own, and why. */
  | { readonly place: string; readonly notice: string }
  | { readonly place: string; readonly fields: TaskFields; readonly metrics: unknown }
  | { readonly place: string; readonly problem: AssayError };

/** Makes a metric from `{ type, ...settings }`, snake_case. Throws `user` errors. */
export type MetricFromConfig = (config: JsonObject) => Promise<Metric>;

export interface TaskContext {
  readonly baseDir: string;
  readonly files: FileStore;
  readonly metricFromConfig: MetricFromConfig;
}

/** What holds the tasks that do not stand in the suite. */
export type TaskPlace = TaskFileFields | TaskFolderFields;

/** The schema of what names them. */
export function taskPlaceSchema(given: object): typeof taskFolderSchema | typeof taskFileSchema {
  return "directory" in given ? taskFolderSchema : taskFileSchema;
}

/** Its path, as the suite names it. */
export function nameOfTaskPlace(place: TaskPlace): string {
  return "directory" in place ? place.directory : place.jsonl;
}

export function readTaskPlace(place: TaskPlace, context: TaskContext): AsyncIterable<TaskDraft> {
  return "directory" in place ? readTaskFolder(place, context) : readTaskFile(place, context);
}

/** Tasks as a suite module gives them: an array, an iterable, an async iterable, `{ jsonl }`, or `{ directory }`. */
export async function* readTasks(source: unknown, context: TaskContext): AsyncGenerator<TaskDraft> {
  if (isPlainObject(source) && !isIterable(source)) {
    const decode = { source: "tasks", code: "ASSAY_SUITE_INVALID" } as const;
    yield* readTaskPlace(parseValue(taskPlaceSchema(source), source, decode), context);
    return;
  }
  if (!isIterable(source)) {
    throw new AssayError(
      "ASSAY_SUITE_INVALID",
      `tasks must be an array, an iterable, { jsonl: "<path>" } or { directory: "<path>", format: "harbor" }, not ${describeKind(source)}`,
    );
  }
  let index = 0;
  for await (const task of source) {
    yield draftOf(`tasks[${index}]`, () => readDefinition(task, `tasks[${index}]`));
    index += 1;
  }
}

/** Tasks of a JSONL file. */
async function* readTaskFile(
  { jsonl, format }: TaskFileFields,
  context: TaskContext,
): AsyncGenerator<TaskDraft> {
  if (format !== "assay") {
    yield* readDataset(jsonl, await datasetFormats[format](), context);
    return;
  }
  const build = cachedMetrics(context.metricFromConfig);
  for await (const row of readRows({ jsonl, ...context })) {
    if ("problem" in row) yield row;
    else yield await readTaskSpec(row.value, { source: row.place }, build);
  }
}

/** Rows of another tool's dataset. Equal rows are one task. */
async function* readDataset(
  jsonl: string,
  taskOf: TaskOfRow,
  context: TaskContext,
): AsyncGenerator<TaskDraft> {
  const seen = new Map<string, number>();
  let rowNumber = 0;
  for await (const row of readRows({ jsonl, ...context })) {
    rowNumber += 1;
    if ("problem" in row) {
      yield row;
      continue;
    }
    const { place, value } = row;
    const draft = draftOf(place, () => ({
      fields: taskOf({ value, dataset: jsonl, rowNumber }),
      metrics: [],
    }));
    const earlier = "fields" in draft ? seen.get(draft.fields.id) : undefined;
    if (earlier !== undefined) {
      yield {
        place,
        notice: `row ${rowNumber} of ${jsonl} equals row ${earlier}: they are one task`,
      };
      continue;
    }
    if ("fields" in draft) seen.set(draft.fields.id, rowNumber);
    yield draft;
  }
}

/** Tasks of another tool's dataset that is a folder. */
async function* readTaskFolder(
  { directory, format, taskNames }: TaskFolderFields,
  { baseDir, files }: TaskContext,
): AsyncGenerator<TaskDraft> {
  const tasksOf = await folderFormats[format]();
  const wanted = taskNames === undefined ? {} : { taskNames };
  for (const { place, task } of await tasksOf(directory, { baseDir, ...wanted }, files))
    yield draftOf(place, () => ({ fields: taskFieldsSchema.parse(task), metrics: [] }));
}

/** Tasks of a YAML or JSON suite; `place` names the line of a path below `tasks`. */
export async function* readTaskSpecs(
  tasks: readonly unknown[],
  place: (path: readonly PropertyKey[]) => string,
  { metricFromConfig }: TaskContext,
): AsyncGenerator<TaskDraft> {
  const build = cachedMetrics(metricFromConfig);
  for (const [index, task] of tasks.entries()) {
    const at = (path: readonly PropertyKey[]) => place([index, ...path]);
    yield await readTaskSpec(task, { source: at([]), place: at }, build);
  }
}

async function readTaskSpec(
  task: unknown,
  from: DecodeSource,
  build: MetricFromConfig,
): Promise<TaskDraft> {
  const { source: place } = from;
  try {
    const { metrics: configs, ...fields } = fromWire(taskSpecSchema, task, {
      ...from,
      code: "ASSAY_TASK_INVALID",
    });
    return {
      place,
      fields,
      metrics: await buildMetrics(
        configs,
        build,
        (index, key) => from.place?.(["metrics", index, ...key]) ?? `${place}: metrics[${index}]`,
      ),
    };
  } catch (problem) {
    return { place, problem: asProblem(problem) };
  }
}

/** Metrics from their settings; a problem names the place of its entry. */
export async function buildMetrics(
  configs: readonly unknown[],
  build: MetricFromConfig,
  place: (index: number, key: readonly string[]) => string,
): Promise<readonly Metric[]> {
  const metrics: Metric[] = [];
  for (const [index, config] of configs.entries()) {
    try {
      metrics.push(
        await build(
          fromWire(metricSpecSchema, config, { source: `metrics[${index}]` }) as JsonObject,
        ),
      );
    } catch (problem) {
      throw atPlace(asProblem(problem), place(index, keyOf(problem)));
    }
  }
  return metrics;
}

/** The key that a problem is about, where it says one. */
function keyOf(problem: unknown): readonly string[] {
  const key = AssayError.isInstance(problem) ? problem.data["key"] : undefined;
  return typeof key === "string" ? [key] : [];
}

function readDefinition(
  task: unknown,
  place: string,
): { readonly fields: TaskFields; readonly metrics: unknown } {
  if (!isPlainObject(task))
    throw new AssayError("ASSAY_TASK_INVALID", `${place} is ${describeKind(task)}, not a task`);
  const { metrics = [], ...fields } = task;
  const parsed = parseValue(taskFieldsSchema, fields, {
    source: place,
    code: "ASSAY_TASK_INVALID",
  });
  // A copy: what the caller does to his own objects from here on changes nothing.
  return { fields: copyPlain(parsed), metrics };
}

function draftOf(
  place: string,
  read: () => { readonly fields: TaskFields; readonly metrics: unknown },
): TaskDraft {
  try {
    return { place, ...read() };
  } catch (problem) {
    return { place, problem: asProblem(problem) };
  }
}

/** Equal settings give one metric, whose preflight and state are shared. */
function cachedMetrics(build: MetricFromConfig): MetricFromConfig {
  const made = new Map<string, Promise<Metric>>();
  return (config) => {
    const key = canonicalJson(config);
    const metric = made.get(key) ?? build(config);
    made.set(key, metric);
    return metric;
  };
}

function asProblem(thrown: unknown): AssayError {
  if (AssayError.isInstance(thrown) && thrown.fault === "user") return thrown;
  throw thrown;
}

function isIterable(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  if (typeof value !== "object" || value === null) return false;
  return Symbol.iterator in value || Symbol.asyncIterator in value;
}
