import type { PlanRecord } from "../../schema/plan.ts";
import { compareText } from "../../support/natural-order.ts";
import type { DiffSide } from "./diff-side.ts";
import { type Difference, differing, mapDifferences } from "./differences.ts";

/** A metric that was added, removed, or is another one now. */
export interface MetricChange {
  readonly metric: string;
  readonly what: "added" | "removed" | "changed";
  /** Settings and version that differ; empty where only one bundle has it, or where they are not recorded. */
  readonly differences: readonly Difference[];
}

/** How two bundles score. */
export interface ScoringDiff {
  /** Null where a bundle has no plan, so that the settings of its metrics are not known. */
  readonly metrics: readonly MetricChange[] | null;
  readonly trialsPerTask: Difference | null;
  /** Outputs that only one of them has on the tasks of both: they have no pair. */
  readonly outputsOnlyInA: readonly string[];
  readonly outputsOnlyInB: readonly string[];
}

export function diffScoring(
  a: DiffSide,
  b: DiffSide,
  outputs: { readonly a: ReadonlySet<string>; readonly b: ReadonlySet<string> },
): ScoringDiff {
  const onlyIn = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
    [...one].filter((name) => !other.has(name)).sort(compareText);
  return {
    metrics: a.plan === null || b.plan === null ? null : metricChanges(a.plan, b.plan),
    trialsPerTask:
      a.plan === null || b.plan === null
        ? null
        : (differing("trials per task", a.plan.trialsPerTask, b.plan.trialsPerTask)[0] ?? null),
    outputsOnlyInA: onlyIn(outputs.a, outputs.b),
    outputsOnlyInB: onlyIn(outputs.b, outputs.a),
  };
}

function metricChanges({ metrics: a }: PlanRecord, { metrics: b }: PlanRecord): MetricChange[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(compareText);
  return names.flatMap((metric): MetricChange[] => {
    const [was, is] = [own(a, metric), own(b, metric)];
    if (was === undefined) return [{ metric, what: "added", differences: [] }];
    if (is === undefined) return [{ metric, what: "removed", differences: [] }];
    if (was.digest === is.digest) return [];
    const differences = [
      ...differing("version", was.version, is.version),
      ...mapDifferences(was.config, is.config),
    ];
    return [{ metric, what: "changed", differences }];
  });
}

function own<T>(map: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
