import type { Metric } from "../../contracts/metric.ts";
import type { Task } from "../../contracts/task.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { didYouMean } from "../../support/names.ts";
import type { TaskDraft } from "./read-tasks.ts";
import type { MetricResolver } from "./resolve-metrics.ts";
import { atPlace } from "./source-place.ts";

interface TaskRules {
  /** Named first in messages. */
  readonly source: string;
  readonly resolver: MetricResolver;
  /** Where the tasks are read from; null for those that stand in the suite. */
  readonly tasksFrom: string | null;
  /** Added to each task that has none of their type. */
  readonly suiteMetrics: readonly Metric[];
  /** Told of rows that are no tasks of their own. */
  readonly onNotice: (notice: string) => void;
}

const shownProblems = 5;

/** Checks all tasks and tells all problems at once, before anything is run. */
export async function resolveTasks(
  drafts: AsyncIterable<TaskDraft>,
  rules: TaskRules,
): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  const places = new Map<string, string>();
  const problems: AssayError[] = [];
  for await (const draft of drafts) {
    if ("notice" in draft) {
      rules.onNotice(draft.notice);
      continue;
    }
    try {
      tasks.push(resolveTask(draft, places, rules));
    } catch (problem) {
      if (!AssayError.isInstance(problem) || problem.fault !== "user") throw problem;
      problems.push(problem);
    }
  }
  if (problems.length > 0) throw allProblems(problems, rules.source);
  if (tasks.length === 0) throw noTask(rules);
  return tasks;
}

function noTask({ source, tasksFrom }: TaskRules): AssayError {
  const [what, remedy] =
    tasksFrom === null
      ? ["tasks is empty", "Add a task."]
      : [`there is no task in "${tasksFrom}"`, "Add a task to it, or name another."];
  const message = `${source}: ${what}; a suite needs at least one task`;
  return new AssayError("ASSAY_SUITE_INVALID", message, { remedy });
}

function resolveTask(
  draft: Exclude<TaskDraft, { readonly notice: string }>,
  places: Map<string, string>,
  { resolver, suiteMetrics }: TaskRules,
): Task {
  if ("problem" in draft) throw draft.problem;
  const { place, fields } = draft;
  const { id } = fields;
  const named = `${place} ("${id}")`;
  const earlier = places.get(id);
  if (earlier !== undefined) {
    throw new AssayError(
      "ASSAY_TASK_DUPLICATE",
      `${place}: the task id "${id}" is already used at ${earlier}`,
      {
        data: { id, places: [earlier, place] },
      },
    );
  }
  places.set(id, place);
  const own = resolver.resolve(draft.metrics, `${named}: metrics`);
  const metrics = withSuiteMetrics(own, suiteMetrics);
  if (metrics.length === 0)
    throw invalid(`${named}: no metric; give the task or the suite at least one`, id);
  // Not by a spread: the engine then makes a hidden class for each task, 260 bytes of it.
  const task: Task = {
    id,
    intent: fields.intent,
    inputs: fields.inputs,
    reference: shared(fields.reference),
    views: shared(fields.views),
    metadata: shared(fields.metadata),
    metrics,
  };
  checkViews(task, named);
  return task;
}

const nothing = Object.freeze({});

/** One empty object for all tasks: there may be 100,000 of them. */
function shared<T extends object>(given: T): T {
  return Object.keys(given).length === 0 ? (nothing as T) : given;
}

function withSuiteMetrics(
  own: readonly Metric[],
  suiteMetrics: readonly Metric[],
): readonly Metric[] {
  if (own.length === 0) return suiteMetrics;
  const types = new Set(own.map(({ type }) => type));
  return [...own, ...suiteMetrics.filter(({ type }) => !types.has(type))];
}

function checkViews({ id, views, metrics }: Task, named: string): void {
  for (const [view, { signals }] of Object.entries(views)) {
    for (const [index, { metric: type, output }] of signals.entries()) {
      const at = `${named}: views.${view}.signals[${index}]`;
      const metric = metrics.find((candidate) => candidate.type === type);
      if (metric === undefined) {
        const known = metrics.map((candidate) => candidate.type);
        throw invalid(
          `${at}: the task has no metric "${type}"${didYouMean(type, known)}; it has ${known.join(", ")}`,
          id,
        );
      }
      const outputs = metric.outputs.map(({ name }) => name);
      if (!outputs.includes(output)) {
        throw invalid(
          `${at}: the metric "${type}" has no output "${output}"${didYouMean(output, outputs)}; it gives ${outputs.join(", ")}`,
          id,
        );
      }
    }
  }
}

function invalid(message: string, taskId: string): AssayError {
  return new AssayError("ASSAY_TASK_INVALID", message, { data: { taskId } });
}

function allProblems(problems: readonly AssayError[], source: string): AssayError {
  const [first] = problems as [AssayError];
  if (problems.length === 1) return atPlace(first, source);
  const shown = problems.slice(0, shownProblems).map(({ message }) => `  ${message}`);
  const more = problems.length - shown.length;
  const lines = [
    `${source}: ${problems.length} tasks have problems`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
  return new AssayError(first.code, lines.join("\n"), {
    data: { problems: problems.length },
    remedy: first.remedy,
  });
}
