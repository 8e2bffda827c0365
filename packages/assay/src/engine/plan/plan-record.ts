import type { ToolFacts } from "../../contracts/runner.ts";
import type { Task } from "../../contracts/task.ts";
import {
  metricDigest,
  planDigest,
  resolvedDigest,
  settingsDigest,
  taskDigest,
} from "../../provenance/digests.ts";
import { toWire } from "../../schema/codec.ts";
import type { PlanRecord } from "../../schema/plan.ts";
import type { RunnerInfo } from "../../schema/run-metadata.ts";
import { type TaskRecord, taskRecordSchema } from "../../schema/task.ts";
import { digestOf } from "../../support/digest.ts";
import { type JsonObject, setOwn } from "../../support/json.ts";
import type { RunOptions } from "../api.ts";
import type { RunDigests } from "../run-state.ts";
import type { Suite } from "../suite/suite.ts";
import { type Draft, distinctMetrics } from "./draft.ts";

export function engineSettings(suite: Suite, options: RunOptions) {
  return {
    concurrency: options.concurrency ?? suite.concurrency,
    scoringConcurrency: options.scoringConcurrency ?? suite.scoringConcurrency,
    failFast: options.failFast ?? suite.failFast,
    labels: { ...suite.labels, ...options.labels },
  };
}

interface DigestInputs {
  readonly draft: Draft;
  readonly info: RunnerInfo;
  readonly tool: ToolFacts | null;
  /** Redacted: a secret in a setting changes no digest. */
  readonly shaping: JsonObject;
  readonly records: readonly TaskRecord[];
}

/** Everything that identifies the run's inputs. */
export function digestsOf({
  draft: { suite, tasks, plan },
  info,
  tool,
  records,
  shaping,
}: DigestInputs) {
  const settings = settingsDigest({
    name: info.name,
    kind: info.kind,
    shaping,
  });
  const taskDigests = records.map((record) =>
    taskDigest(toWire(taskRecordSchema, record) as JsonObject),
  );
  const metrics = [...distinctMetrics(tasks)].map(
    (metric) => [metric.type, metricDigest(metric)] as const,
  );
  return {
    settings,
    resolved: resolvedDigest({
      settingsDigest: settings,
      toolVersion: info.version,
      resolved: tool?.resolved ?? {},
      codeDigest: suite.code?.digest ?? null,
    }),
    plan: planDigest({
      settingsDigest: settings,
      tasks: records.map(({ id }, index) => ({ id, digest: taskDigests[index] ?? "" })),
      trialsPerTask: plan.trialsPerTask,
      metrics: metrics.map(([type, digest]) => ({ type, digest })),
    }),
    tasks: digestOf("tasks", taskDigests),
  };
}

interface PlanInputs {
  readonly draft: Draft;
  readonly options: RunOptions;
  readonly runId: string;
  readonly digests: RunDigests;
  readonly records: readonly TaskRecord[];
}

/** `plan.json`. */
export function planRecord({
  draft: { suite, tasks, plan },
  options,
  runId,
  digests,
  records,
}: PlanInputs): PlanRecord {
  const { labels, ...engine } = engineSettings(suite, options);
  return {
    planVersion: 1,
    runId,
    suiteName: suite.name,
    planDigest: digests.plan,
    settingsDigest: digests.settings,
    trialsPerTask: plan.trialsPerTask,
    tasks: records.map((record) => ({
      id: record.id,
      digest: taskDigest(toWire(taskRecordSchema, record) as JsonObject),
    })),
    metrics: metricRecords(tasks),
    selection: {
      taskIds: options.taskIds === undefined ? null : [...options.taskIds],
      limit: options.limit ?? null,
    },
    parameters: suite.parameters,
    labels,
    engine,
  };
}

/** Every metric in use, by its digest: one type may be configured differently for two tasks. */
function metricRecords(tasks: readonly Task[]): PlanRecord["metrics"] {
  const records: Record<string, PlanRecord["metrics"][string]> = {};
  const byType = new Map<string, Set<string>>();
  for (const metric of distinctMetrics(tasks)) {
    const digest = metricDigest(metric);
    const digests = byType.get(metric.type) ?? new Set<string>();
    if (digests.has(digest)) continue;
    const key = digests.size === 0 ? metric.type : `${metric.type}#${digests.size + 1}`;
    byType.set(metric.type, digests.add(digest));
    setOwn(records, key, { digest, version: metric.version, config: metric.config });
  }
  return records;
}
