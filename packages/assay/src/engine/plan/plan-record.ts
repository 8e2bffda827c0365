import type { Metric } from "../../contracts/metric.ts";
import type { Redactor } from "../../contracts/redactor.ts";
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
import type { SourceRecord } from "../../schema/environment.ts";
import type { PlanRecord } from "../../schema/plan.ts";
import type { RunnerInfo } from "../../schema/run-metadata.ts";
import { type TaskRecord, taskRecordSchema } from "../../schema/task.ts";
import { digestOf } from "../../support/digest.ts";
import { type JsonObject, setOwn } from "../../support/json.ts";
import type { RunOptions } from "../api.ts";
import type { MetricFacts, RunDigests } from "../run-state.ts";
import type { Draft } from "./draft.ts";

/** What a run that goes on was labelled with stays. */
export function engineSettings(
  { suite, stored }: Pick<Draft, "suite" | "stored">,
  options: RunOptions,
) {
  return {
    concurrency: options.concurrency ?? suite.concurrency,
    scoringConcurrency: options.scoringConcurrency ?? suite.scoringConcurrency,
    failFast: options.failFast ?? suite.failFast,
    labels: { ...(stored?.labels ?? suite.labels), ...options.labels },
  };
}

export interface PlanInputs {
  readonly draft: Draft;
  readonly options: RunOptions;
  readonly runId: string;
  readonly info: RunnerInfo;
  readonly tool: ToolFacts | null;
  readonly records: readonly TaskRecord[];
  readonly redactor: Redactor;
  /** Of the bytes that tasks and metrics refer to. */
  readonly contentDigest: string | null;
  readonly source: SourceRecord;
}

/** Everything that identifies the run's inputs. What is removed as secret enters no digest. */
export interface FixedPlan {
  readonly metricFacts: readonly MetricFacts[];
  readonly digests: RunDigests;
  /** `plan.json`. */
  readonly record: PlanRecord;
}

export function fixPlan(inputs: PlanInputs): FixedPlan {
  const { draft, redactor } = inputs;
  const known = factsByMetric(draft.tasks, redactor);
  const tasks = inputs.records.map((record, index) => ({
    id: record.id,
    digest: digestOf("task", {
      row: taskDigest(toWire(taskRecordSchema, record) as JsonObject),
      // The row names its metrics; which configuration each has is part of what the task is.
      metrics: (draft.tasks[index]?.metrics ?? [])
        .map((metric) => known.get(metric)?.digest)
        .sort(),
    }),
  }));
  const metricFacts = distinctFacts(known.values());
  const digests = digestsOf(inputs, { tasks, metricFacts });
  return { metricFacts, digests, record: planRecord(inputs, { tasks, metricFacts, digests }) };
}

interface Digested {
  readonly tasks: PlanRecord["tasks"];
  readonly metricFacts: readonly MetricFacts[];
}

/** Tasks share their metrics: each is redacted and digested once, however many tasks have it. */
function factsByMetric(tasks: readonly Task[], redactor: Redactor): Map<Metric, MetricFacts> {
  const taskCounts = new Map<Metric, number>();
  for (const { metrics } of tasks) {
    for (const metric of new Set(metrics))
      taskCounts.set(metric, (taskCounts.get(metric) ?? 0) + 1);
  }
  const facts = new Map<Metric, MetricFacts>();
  for (const [metric, taskCount] of taskCounts) {
    const { type, version } = metric;
    const config = redactor.json(metric.config);
    const digest = metricDigest({ ...metric, config });
    const judge = judgeOf(metric, redactor);
    facts.set(metric, { type, version, digest, config, judge, taskCount });
  }
  return facts;
}

function judgeOf({ judge }: Metric, redactor: Redactor): MetricFacts["judge"] {
  if (judge === undefined) return null;
  return {
    model: redactor.text(judge.model),
    digest: digestOf("metric", { judge: redactor.json({ ...judge }) }),
  };
}

/** Each once, by its digest: one type may be configured differently for two tasks. */
function distinctFacts(given: Iterable<MetricFacts>): readonly MetricFacts[] {
  const distinct = new Map<string, MetricFacts>();
  for (const facts of given) {
    const taskCount = (distinct.get(facts.digest)?.taskCount ?? 0) + facts.taskCount;
    distinct.set(facts.digest, { ...facts, taskCount });
  }
  return [...distinct.values()];
}

function digestsOf(inputs: PlanInputs, { tasks, metricFacts }: Digested): RunDigests {
  const { info, tool, redactor, contentDigest, draft } = inputs;
  const { target, plan } = draft;
  const code = codeOf(inputs);
  const settings = settingsDigest({
    name: info.name,
    kind: info.kind,
    shaping: redactor.json(target.options.shaping),
  });
  return {
    settings,
    code,
    content: contentDigest,
    resolved: resolvedDigest({
      settingsDigest: settings,
      toolVersion: info.version,
      resolved: redactor.json(tool?.resolved ?? {}),
      codeDigest: code,
      contentDigest,
    }),
    plan: planDigest({
      settingsDigest: settings,
      tasks,
      trialsPerTask: plan.trialsPerTask,
      metrics: metricFacts,
    }),
    tasks: digestOf(
      "tasks",
      tasks.map(({ digest }) => digest),
    ),
  };
}

/** The suite's own modules, the parameters it was called with, and the lockfile in the place of its packages. */
function codeOf({ draft: { suite }, source: { lockfile }, redactor }: PlanInputs): string | null {
  if (suite.code === null) return null;
  return digestOf("code", {
    modules: suite.code.digest,
    parameters: redactor.json(suite.parameters),
    lockfile: "sha256" in lockfile ? lockfile.sha256 : null,
  });
}

function planRecord(
  inputs: PlanInputs,
  { tasks, metricFacts, digests }: Digested & { readonly digests: RunDigests },
): PlanRecord {
  const { draft, options, runId, source } = inputs;
  const { suite, plan } = draft;
  const { labels, ...engine } = engineSettings(draft, options);
  return {
    planVersion: 1,
    runId,
    suiteName: suite.name,
    planDigest: digests.plan,
    settingsDigest: digests.settings,
    resolvedDigest: digests.resolved,
    codeDigest: digests.code,
    contentDigest: digests.content,
    target: plannedTarget(inputs),
    codeFiles: suite.code === null ? null : [...suite.code.files],
    lockfileSha256: "sha256" in source.lockfile ? source.lockfile.sha256 : null,
    trialsPerTask: plan.trialsPerTask,
    tasks,
    metrics: metricRecords(metricFacts),
    selection: draft.selection,
    parameters: suite.parameters,
    labels,
    engine,
  };
}

function plannedTarget({ draft: { target }, info, tool, redactor }: PlanInputs) {
  return {
    ...info,
    origins: target.options.origins,
    shaping: redactor.json(target.options.shaping),
    resolved: redactor.json(tool?.resolved ?? {}),
  };
}

/** By type; a second one of a type has its number behind the name. */
function metricRecords(facts: readonly MetricFacts[]): PlanRecord["metrics"] {
  const records: Record<string, PlanRecord["metrics"][string]> = {};
  for (const { type, digest, version, config } of facts) {
    let key = type;
    for (let number = 2; Object.hasOwn(records, key); number += 1) key = `${type}#${number}`;
    setOwn(records, key, { digest, version, config });
  }
  return records;
}
