import type { Logger } from "../../contracts/clock.ts";
import type { ProbeContext, ToolFacts } from "../../contracts/runner.ts";
import { metricDigest } from "../../provenance/digests.ts";
import { sourceFacts } from "../../provenance/environment-facts.ts";
import { createRedactor } from "../../provenance/redaction/redactor.ts";
import type { RunnerInfo } from "../../schema/run-metadata.ts";
import type { TaskRecord } from "../../schema/task.ts";
import { newRunId } from "../../support/ids.ts";
import type { JsonObject } from "../../support/json.ts";
import type { PlanPreview, RunEvent, RunOptions } from "../api.ts";
import type { Platform, Scratch } from "../platform.ts";
import type { PreparedRun } from "../run-state.ts";
import type { Suite } from "../suite/suite.ts";
import { type Draft, distinctMetrics } from "./draft.ts";
import { digestsOf, engineSettings, planRecord } from "./plan-record.ts";
import { runSecrets } from "./run-secrets.ts";
import { taskRecordOf } from "./task-record.ts";

export interface PrepareRequest {
  readonly suite: Suite;
  readonly options: RunOptions;
  readonly platform: Platform;
}

/** What a prepared run gets from its surroundings. */
export interface Surroundings {
  readonly scratch: Scratch;
  readonly token: string;
  readonly runId: string;
  readonly signal: AbortSignal;
}

/** Checks tasks, metrics and tools, then fixes the plan and its digests. Nothing is written outside `scratch`. */
export async function prepareRun(
  draft: Draft,
  request: PrepareRequest,
  surroundings: Surroundings,
): Promise<PreparedRun> {
  const { options, platform } = request;
  const { suite, target, tasks, plan } = draft;
  const { runId, token, scratch } = surroundings;
  const secrets = runSecrets(suite.secrets, platform.env);
  const redactor = createRedactor({ secrets: secrets.known });
  const emit = redactedEmitter(options.onEvent, redactor);
  const log = eventLogger(emit);
  const process = platform.process(token);
  await checkTasksAndMetrics(draft, platform);
  const tool = await probe(draft, request, {
    ...surroundings,
    log,
    process,
    secrets: secrets.declared,
  });
  const info = storedIdentity(target.info, tool, redactor.settings(target.info.config));
  const records = tasks.map((task) => redactRecord(taskRecordOf(task), redactor));
  const shaping = redactor.settings(target.options.shaping);
  const digests = digestsOf({ draft, info, tool, records, shaping });
  return {
    ...engineSettings(suite, options),
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
    source: await sourceFacts({ baseDir: suite.baseDir, files: platform.files, process }),
    secrets: secrets.declared,
    redactor,
    token,
    scratch: scratch.path,
    platform,
    process,
    log,
    emit,
  };
}

async function checkTasksAndMetrics(
  { suite: { baseDir }, target, tasks }: Draft,
  { files }: Platform,
): Promise<void> {
  for (const task of tasks) await target.runner.checkTask?.(task, { baseDir, files });
  for (const metric of distinctMetrics(tasks)) await metric.preflight?.({ baseDir, files });
}

async function probe(
  { suite: { baseDir }, target }: Draft,
  { platform: { files } }: PrepareRequest,
  {
    scratch,
    signal,
    log,
    process,
    secrets,
  }: Surroundings & Pick<ProbeContext, "log" | "process" | "secrets">,
): Promise<ToolFacts | null> {
  const context: ProbeContext = {
    baseDir,
    process,
    files,
    signal,
    log,
    secrets,
    scratch: scratch.path,
  };
  return (await target.runner.probe?.(context)) ?? null;
}

export function runIdOf(options: RunOptions, platform: Platform): string {
  return options.runId ?? newRunId(platform.clock.now());
}

function storedIdentity(info: RunnerInfo, tool: ToolFacts | null, config: JsonObject): RunnerInfo {
  return { ...info, version: info.version ?? tool?.version ?? null, config };
}

function redactRecord(record: TaskRecord, redactor: PreparedRun["redactor"]): TaskRecord {
  return redactor.json(record as unknown as JsonObject) as unknown as TaskRecord;
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
