import type { Reducer, TaskRecord } from "../../schema/task.ts";
import type { Interner } from "./columns.ts";
import { createOutputTally, createViewTally, type OutputTally, type ViewTally } from "./tallies.ts";

/** What the summary reads of a task. */
export type SummaryTask = Pick<TaskRecord, "id" | "metrics" | "views">;

export type OutputKind = "continuous" | "discrete" | "boolean" | "label" | "model";

export interface OutputLayout {
  readonly name: string;
  /** Among the outputs of its metric. */
  readonly position: number;
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

interface State {
  readonly metricNames: Interner;
  readonly outputs: Map<string, OutputTally>;
  readonly views: Map<string, ViewTally>;
}

export function createLayouts(metricNames: Interner): Layouts {
  const bySignature = new Map<string, TaskLayout>();
  const state: State = { metricNames, outputs: new Map(), views: new Map() };
  return {
    of: ({ metrics, views }) =>
      getOrMake(bySignature, JSON.stringify([metrics, views]), () => {
        const byMetric = layOutMetrics(state, metrics);
        const outputsByMetric = new Map<number, readonly OutputLayout[]>();
        for (const [metric, outputs] of byMetric)
          outputsByMetric.set(metric, [...outputs.values()]);
        return { outputsByMetric, views: layOutViews(state, views, byMetric) };
      }),
    outputs: () => state.outputs.values(),
    views: () => state.views.values(),
  };
}

/** By the metric's index and the output's name, in the order of the declarations. */
type OutputsByName = ReadonlyMap<number, ReadonlyMap<string, OutputLayout>>;

function layOutMetrics(state: State, metrics: SummaryTask["metrics"]): OutputsByName {
  const result = new Map<number, Map<string, OutputLayout>>();
  for (const { type, outputs } of metrics) {
    const layouts = getOrMake(result, state.metricNames.indexOf(type), () => new Map());
    for (const { name, valueSchema } of outputs)
      getOrMake(layouts, name, () => {
        const key = JSON.stringify([type, name]);
        const tally = getOrMake(state.outputs, key, () => createOutputTally(type, name));
        return { name, position: layouts.size, kind: kindOf(valueSchema), tally };
      });
  }
  return result;
}

function layOutViews(
  state: State,
  views: SummaryTask["views"],
  byMetric: OutputsByName,
): ViewLayout[] {
  return Object.entries(views).map(([name, { reducer, signals }]) => ({
    reducer,
    signals: signals.map(({ metric: type, output, weight }) => {
      const metric = state.metricNames.indexOf(type);
      return { metric, position: byMetric.get(metric)?.get(output)?.position ?? -1, weight };
    }),
    tally: getOrMake(state.views, name, () => createViewTally(name)),
  }));
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
