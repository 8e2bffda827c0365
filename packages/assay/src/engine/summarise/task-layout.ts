import type { Reducer, TaskRecord } from "../../schema/task.ts";
import type { Interner } from "./columns.ts";
import { createOutputTally, createViewTally, type OutputTally, type ViewTally } from "./tallies.ts";

/** What the summary reads of a task. */
export type SummaryTask = Pick<TaskRecord, "id" | "metrics" | "views">;

export type OutputKind = "continuous" | "discrete" | "boolean" | "label" | "model";

export interface OutputLayout {
  readonly name: string;
  readonly kind: OutputKind;
  readonly tally: OutputTally;
}

export interface SignalLayout {
  readonly metric: number;
  /** Place of the output among those of the metric; -1 when the task does not declare it. */
  readonly position: number;
  readonly weight: number | null;
}

export interface ViewLayout {
  readonly reducer: Reducer;
  readonly signals: readonly SignalLayout[];
  readonly tally: ViewTally;
}

/** What is declared on a task; tasks that declare the same share one. */
export interface TaskLayout {
  readonly outputsByMetric: ReadonlyMap<number, readonly OutputLayout[]>;
  readonly views: readonly ViewLayout[];
}

/** Layouts of tasks, and the tallies that all tasks with the same output or view share. */
export interface Layouts {
  of(task: SummaryTask): TaskLayout;
  outputs(): Iterable<OutputTally>;
  views(): Iterable<ViewTally>;
}

export function createLayouts(metricNames: Interner): Layouts {
  const bySignature = new Map<string, TaskLayout>();
  const outputs = new Map<string, OutputTally>();
  const views = new Map<string, ViewTally>();

  const outputTally = (metric: string, output: string) =>
    getOrMake(outputs, JSON.stringify([metric, output]), () => createOutputTally(metric, output));

  const outputsByMetric = (metrics: SummaryTask["metrics"]) => {
    const result = new Map<number, OutputLayout[]>();
    for (const { type, outputs: declared } of metrics) {
      const layouts = getOrMake(result, metricNames.indexOf(type), () => []);
      for (const { name, valueSchema } of declared) {
        if (layouts.some((known) => known.name === name)) continue;
        layouts.push({ name, kind: kindOf(valueSchema), tally: outputTally(type, name) });
      }
    }
    return result;
  };

  const make = (task: SummaryTask): TaskLayout => {
    const declared = outputsByMetric(task.metrics);
    const viewLayouts = Object.keys(task.views).map((name) => {
      const { reducer, signals } = task.views[name] ?? { reducer: "single", signals: [] };
      const located = signals.map(({ metric, output, weight }) => {
        const index = metricNames.indexOf(metric);
        const position = declared.get(index)?.findIndex((known) => known.name === output) ?? -1;
        return { metric: index, position, weight };
      });
      const tally = getOrMake(views, name, () => createViewTally(name));
      return { reducer, signals: located, tally };
    });
    return { outputsByMetric: declared, views: viewLayouts };
  };

  return {
    of: (task) =>
      getOrMake(bySignature, JSON.stringify([task.metrics, task.views]), () => make(task)),
    outputs: () => outputs.values(),
    views: () => views.values(),
  };
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function kindOf(valueSchema: string): OutputKind {
  switch (valueSchema) {
    case "ContinuousScore":
      return "continuous";
    case "DiscreteScore":
      return "discrete";
    case "BooleanValue":
      return "boolean";
    case "Label":
      return "label";
    default:
      return "model";
  }
}
