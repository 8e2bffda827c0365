import type { Logger } from "../../contracts/clock.ts";
import type { Metric } from "../../contracts/metric.ts";
import type { ToolFacts, TrialPlan } from "../../contracts/runner.ts";
import type { Task } from "../../contracts/task.ts";
import {
  metricDigest,
  planDigest,
  resolvedDigest,
  settingsDigest,
  taskDigest,
} from "../../provenance/digests.ts";
import { createRedactor } from "../../provenance/redaction/redactor.ts";
import { toWire } from "../../schema/codec.ts";
import type { PlanRecord } from "../../schema/plan.ts";
import type { RunnerInfo } from "../../schema/run-metadata.ts";
import { type TaskRecord, taskRecordSchema } from "../../schema/task.ts";
import { digestOf } from "../../support/digest.ts";
import { newRunId } from "../../support/ids.ts";
import { type JsonObject, setOwn } from "../../support/json.ts";
import type { PlanPreview, RunEvent, RunOptions } from "../api.ts";
import type { Platform, Scratch } from "../platform.ts";
import type { PreparedRun } from "../run-state.ts";
import type { Suite } from "../suite/suite.ts";
import { type BoundTarget, bindTarget } from "./bind-target.ts";
import { checkImported, isImportedRunner } from "./imported-runner.ts";
import { runSecrets } from "./run-secrets.ts";
import { selectTasks } from "./select-tasks.ts";
import { taskRecordOf } from "./task-record.ts";

/** What can be known without touching anything outside: tasks, target, settings. */
export interface Draft {
  readonly suite: Suite;
  readonly target: BoundTarget;
  readonly tasks: readonly Task[];
  readonly plan: TrialPlan;
}

export interface PrepareRequest {
  readonly suite: Suite;
  readonly options: RunOptions;
  readonly platform: Platform;
}

/** Validates everything that needs no tool. Throws `user` errors. */
export function draftRun({ suite, options }: Omit<PrepareRequest, "platform">): Draft {
  const tasks = selectTasks(suite.tasks, {
    taskIds: options.taskIds ?? null,
    limit: options.limit ?? null,
  });
  const target = bindTarget(suite, options.overrides ?? []);
  if (isImportedRunner(target.runner))
    checkImported(
      target.runner,
      suite.tasks.map(({ id }) => id),
    );
  return {
    suite,
    target,
    tasks,
    plan: trialPlan(tasks, target, options.trialsPerTask ?? suite.trialsPerTask),
  };
}

/** Checks tasks, metrics and tools, then fixes the plan and its digests. Nothing is written outside `scratch`. */
export async function prepareRun(
  draft: Draft,
  { options, platform }: PrepareRequest,
  {
    scratch,
    token,
    runId,
    signal,
  }: {
    readonly scratch: Scratch;
    readonly token: string;
    readonly runId: string;
    readonly signal: AbortSignal;
  },
): Promise<PreparedRun> {
  const { suite, target, tasks, plan } = draft;
  const secrets = runSecrets(suite.secrets, platform.env);
  const redactor = createRedactor({ secrets: secrets.known });
  const emit = redactedEmitter(options.onEvent, redactor);
  const log = eventLogger(emit);
  const { files } = platform;
  for (const task of tasks)
    await target.runner.checkTask?.(task, { baseDir: suite.baseDir, files });
  for (const metric of distinctMetrics(tasks))
    await metric.preflight?.({ baseDir: suite.baseDir, files });
  const tool =
    (await target.runner.probe?.({
      baseDir: suite.baseDir,
      process: platform.process(token),
      files,
      signal,
      log,
      secrets: secrets.declared,
      scratch: scratch.path,
    })) ?? null;
  const info = storedIdentity(target.info, tool, redactor.settings(target.info.config));
  const records = tasks.map((task) => redactRecord(taskRecordOf(task), redactor));
  const digests = digestsOf({ draft, info, tool, records });
  return {
    runId,
    suite,
    target,
    info,
    tool,
    plan,
    tasks: records,
    metrics: tasks.map(({ metrics }) => metrics),
    record: planRecord({ draft, options, runId, digests, records }),
    digests,
    concurrency: options.concurrency ?? suite.concurrency,
    scoringConcurrency: options.scoringConcurrency ?? suite.scoringConcurrency,
    failFast: options.failFast ?? suite.failFast,
    labels: { ...suite.labels, ...options.labels },
    secrets: secrets.declared,
    redactor,
    token,
    scratch: scratch.path,
    platform,
    log,
    emit,
  };
}

export function runIdOf(options: RunOptions, platform: Platform): string {
  return options.runId ?? newRunId(platform.clock.now());
}

function trialPlan(
  tasks: readonly Task[],
  { runner }: BoundTarget,
  trialsPerTask: number,
): TrialPlan {
  const countOf = (task: Task) =>
    isImportedRunner(runner) ? (runner.trialsByTask.get(task.id)?.length ?? 0) : trialsPerTask;
  const planned = tasks.map((task, taskIndex) => ({
    task,
    taskIndex,
    trialIndexes: Array.from({ length: countOf(task) }, (_item, index) => index),
  }));
  return {
    tasks: planned,
    trialsPerTask,
    trialCount: planned.reduce((sum, { trialIndexes }) => sum + trialIndexes.length, 0),
  };
}

function distinctMetrics(tasks: readonly Task[]): Set<Metric> {
  return new Set(tasks.flatMap(({ metrics }) => metrics));
}

function storedIdentity(info: RunnerInfo, tool: ToolFacts | null, config: JsonObject): RunnerInfo {
  return { ...info, version: info.version ?? tool?.version ?? null, config };
}

function redactRecord(record: TaskRecord, redactor: PreparedRun["redactor"]): TaskRecord {
  return redactor.json(record as unknown as JsonObject) as unknown as TaskRecord;
}

interface DigestInputs {
  readonly draft: Draft;
  readonly info: RunnerInfo;
  readonly tool: ToolFacts | null;
  readonly records: readonly TaskRecord[];
}

function digestsOf({ draft: { suite, target, tasks, plan }, info, tool, records }: DigestInputs) {
  const settings = settingsDigest({
    name: info.name,
    kind: info.kind,
    shaping: target.options.shaping,
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
  readonly digests: PreparedRun["digests"];
  readonly records: readonly TaskRecord[];
}

function planRecord({
  draft: { suite, tasks, plan },
  options,
  runId,
  digests,
  records,
}: PlanInputs): PlanRecord {
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
    labels: { ...suite.labels, ...options.labels },
    engine: {
      concurrency: options.concurrency ?? suite.concurrency,
      scoringConcurrency: options.scoringConcurrency ?? suite.scoringConcurrency,
      failFast: options.failFast ?? suite.failFast,
    },
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

/** The plan as `--dry-run` shows it. */
export function previewOf({
  draft,
  digests,
  info,
}: { readonly draft: Draft } & Pick<PreparedRun, "digests" | "info">): PlanPreview {
  const { suite, tasks, plan, target } = draft;
  const metrics = [...distinctMetrics(tasks)].map((metric) => ({
    type: metric.type,
    digest: metricDigest(metric),
    taskCount: tasks.filter((task) => task.metrics.includes(metric)).length,
  }));
  return {
    suiteName: suite.name,
    target: info,
    taskIds: tasks.map(({ id }) => id),
    trialsPerTask: plan.trialsPerTask,
    trialCount: plan.trialCount,
    metrics,
    planDigest: digests.plan,
    settingsDigest: digests.settings,
    origins: target.options.origins,
  };
}

function redactedEmitter(
  listener: RunOptions["onEvent"],
  redactor: PreparedRun["redactor"],
): (event: RunEvent) => void {
  if (listener === undefined) return () => {};
  return (event) => listener(redactor.json(event as unknown as JsonObject) as unknown as RunEvent);
}

function eventLogger(emit: (event: RunEvent) => void): Logger {
  const ignore = () => {};
  return {
    debug: ignore,
    info: ignore,
    warn: (message) => emit({ type: "warning", message }),
    error: (message) => emit({ type: "warning", message }),
  };
}
