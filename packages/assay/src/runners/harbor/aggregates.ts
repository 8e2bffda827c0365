import { type Aggregate, aggregateSchema } from "../../schema/summary.ts";
import { isPlainObject } from "../../support/json.ts";
import { at } from "./read-result.ts";

/** Harbor's own figures over its jobs, from the `result.json` of each: sums of its counts; its metrics, where it was one job. */
export function aggregatesOf(jobs: readonly unknown[]): readonly Aggregate[] {
  if (jobs.length === 0) return [];
  const sums = new Map<string, number>();
  const add = (name: string, value: number) => sums.set(name, (sums.get(name) ?? 0) + value);
  for (const job of jobs) {
    const stats = at(job, "stats");
    add("n_trials", countAt(stats, "n_completed_trials") ?? countAt(stats, "n_trials") ?? 0);
    add("n_errors", countAt(stats, "n_errored_trials") ?? countAt(stats, "n_errors") ?? 0);
    const retries = countAt(stats, "n_retries");
    if (retries !== null) add("n_retries", retries);
    for (const evaluation of evaluationsOf(stats)) {
      const exceptions = at(evaluation, "exception_stats");
      for (const [type, trials] of Object.entries(isPlainObject(exceptions) ? exceptions : {}))
        if (Array.isArray(trials)) add(`exception.${type}`, trials.length);
    }
  }
  const [only] = jobs;
  if (jobs.length === 1) for (const [name, value] of metricsOf(only)) sums.set(name, value);
  return [...sums].map(([name, value]) =>
    aggregateSchema.parse({ name: `runner.harbor.${name}`, scoreType: "scalar", value }),
  );
}

function evaluationsOf(stats: unknown): readonly unknown[] {
  const evaluations = at(stats, "evals");
  return isPlainObject(evaluations) ? Object.values(evaluations) : [];
}

/** A job of one agent over one dataset has one evaluation; of several, each metric would need a name of its own. */
function metricsOf(job: unknown): readonly (readonly [string, number])[] {
  const evaluations = evaluationsOf(at(job, "stats"));
  if (evaluations.length !== 1) return [];
  const metrics = at(evaluations[0], "metrics");
  return (Array.isArray(metrics) ? metrics : []).flatMap((metric: unknown) =>
    Object.entries(isPlainObject(metric) ? metric : {}).flatMap(([name, value]) =>
      typeof value === "number" && Number.isFinite(value)
        ? [[`metric.${name}`, value] as const]
        : [],
    ),
  );
}

function countAt(stats: unknown, key: string): number | null {
  const value = at(stats, key);
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}
