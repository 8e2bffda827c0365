import { toWire } from "../../schema/codec.ts";
import { runMetadataSchema } from "../../schema/run-metadata.ts";
import { differenceOf } from "../../statistics/paired-comparison.ts";
import type { JsonObject, JsonValue } from "../../support/json.ts";
import type { BundleDiff, ComparedBundle } from "./bundle-diff.ts";
import type { Difference } from "./differences.ts";
import type { OutputDiff, TaskChange, TaskScore } from "./score-diff.ts";
import type { MetricChange } from "./scoring-diff.ts";

/** A diff as `assay diff --json` prints it. */
export function diffDocument(diff: Omit<BundleDiff, "toJSON">): JsonObject {
  const { settings, tasks, scoring } = diff;
  return {
    settings: settings.verdict,
    settings_reason: settings.reason,
    a: bundleDocument(diff.a),
    b: bundleDocument(diff.b),
    options: settings.shaping.map(differenceDocument),
    operational_options: settings.operational.map(differenceDocument),
    facts: diff.facts.map(differenceDocument),
    tasks: {
      shared: tasks.shared.length,
      added: tasks.added,
      removed: tasks.removed,
      changed: tasks.changed.map(({ id, fields }) => ({ id, fields })),
      is_reordered: tasks.isReordered,
    },
    metrics: scoring.metrics?.map(metricDocument) ?? null,
    trials_per_task:
      scoring.trialsPerTask === null ? null : differenceDocument(scoring.trialsPerTask),
    outputs_only_in_a: scoring.outputsOnlyInA,
    outputs_only_in_b: scoring.outputsOnlyInB,
    scores: diff.scores.map(scoreDocument),
    aggregates: diff.aggregates.map(({ name, a, b }) => ({
      name,
      a,
      b,
      change: differenceOf(a, b),
    })),
    spending: diff.spending.map(differenceDocument),
  };
}

function bundleDocument(bundle: ComparedBundle): JsonObject {
  return {
    dir: bundle.dir,
    run_id: bundle.runId,
    suite_name: bundle.suiteName,
    status: bundle.status,
    status_cause: bundle.statusCause,
    bundle_digest: bundle.bundleDigest,
    not_verified: bundle.unsealedBecause,
    has_provenance: bundle.hasProvenance,
    metadata: toWire(runMetadataSchema, bundle.metadata) as JsonObject,
    lineage: bundle.lineage,
    gaps: bundle.gaps,
    task_count: bundle.taskCount,
    trial_count: bundle.trialCount,
  };
}

function differenceDocument({ name, a, b }: Difference): JsonObject {
  const side = (value: Difference["a"]): JsonValue =>
    value && { value: value.value, origin: value.origin ?? null };
  return { name, a: side(a), b: side(b) };
}

function metricDocument({ metric, what, differences }: MetricChange): JsonObject {
  return { metric, what, differences: differences.map(differenceDocument) };
}

function scoreDocument({ output, comparison, changedCount, changes }: OutputDiff): JsonObject {
  const { pairCount, unpairedCount, meanA, meanB, change, ...counts } = comparison;
  return {
    output,
    pair_count: pairCount,
    unpaired_count: unpairedCount,
    mean_a: meanA,
    mean_b: meanB,
    change,
    higher_count: counts.higherCount,
    lower_count: counts.lowerCount,
    equal_count: counts.equalCount,
    changed_count: changedCount,
    changed: [...changes()].map(changeDocument),
  };
}

function changeDocument({ taskId, a, b, change }: TaskChange): JsonObject {
  return { task_id: taskId, a: taskScoreDocument(a), b: taskScoreDocument(b), change };
}

function taskScoreDocument({ mean, count, failedCount, labels }: TaskScore): JsonObject {
  return { mean, count, failed_count: failedCount, labels };
}
