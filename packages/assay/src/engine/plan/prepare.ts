import type { Redactor } from "../../contracts/redactor.ts";
import type { ToolFacts } from "../../contracts/runner.ts";
import type { SandboxCapability } from "../../contracts/sandbox.ts";
import { secretsInSettings } from "../../provenance/redaction/known-secrets.ts";
import { createRedactor } from "../../provenance/redaction/redactor.ts";
import type { RunnerInfo } from "../../schema/run-metadata.ts";
import type { TaskRecord } from "../../schema/task.ts";
import type { JsonObject } from "../../support/json.ts";
import type { PlanPreview, RunOptions } from "../api.ts";
import { openChannel } from "../channel.ts";
import { filesOutsideOutput } from "../directory.ts";
import type { Platform } from "../platform.ts";
import type { PreparedRun } from "../run-state.ts";
import type { Suite } from "../suite/suite.ts";
import { suiteProcessOf } from "../suite/suite-process.ts";
import type { Draft } from "./draft.ts";
import { environmentFacts } from "./environment-facts.ts";
import { engineSettings, fixPlan } from "./plan-record.ts";
import { checkTasksAndMetrics, probeTool } from "./preflight.ts";
import type { RunSecrets } from "./run-secrets.ts";
import { taskRecordsOf } from "./task-record.ts";

export interface PrepareRequest {
  readonly suite: Suite;
  readonly options: RunOptions;
  readonly platform: Platform;
}

/** What a prepared run gets from its surroundings. */
export interface Surroundings {
  readonly runId: string;
  readonly invocationId: string;
  readonly token: string;
  readonly scratch: string;
  readonly signal: AbortSignal;
  readonly secrets: RunSecrets;
  readonly sandboxes: SandboxCapability;
  /** Knows the secrets so far. */
  readonly redactor: Redactor;
}

/** Checks tasks, metrics and tools, then fixes the plan and its digests. Nothing is written outside `scratch`. */
export async function prepareRun(
  draft: Draft,
  request: PrepareRequest,
  surroundings: Surroundings,
): Promise<PreparedRun> {
  const { options, platform } = request;
  const { suite, target, tasks, plan } = draft;
  const { runId, invocationId, token, scratch, signal, secrets, sandboxes } = surroundings;
  const process = platform.process(token);
  const [environment, { tool, contentDigest }] = await Promise.all([
    environmentFacts({ baseDir: suite.baseDir, process, signal }, platform),
    examine(draft, request, surroundings),
  ]);
  const redactor = withFoundSecrets(surroundings, draft, tool);
  const info = storedIdentity(target.info, tool, redactor);
  const records = taskRecordsOf(tasks).map((record) => redactRecord(record, redactor));
  const { source } = environment;
  return {
    ...engineSettings(draft, options),
    ...fixPlan({ draft, options, runId, info, tool, records, redactor, contentDigest, source }),
    ...openChannel(options.onEvent, redactor),
    runId,
    invocationId,
    suite,
    target,
    info,
    tool,
    plan,
    tasks: records,
    metrics: tasks.map(({ metrics }) => metrics),
    environment,
    secrets: secrets.declared,
    redactor,
    token,
    scratch,
    platform,
    process,
    sandboxes,
  };
}

/** Everything that can be wrong with tasks, metrics and tools; what the probe found. */
async function examine(
  draft: Draft,
  { options, platform }: PrepareRequest,
  { token, scratch, signal, secrets, redactor, sandboxes }: Surroundings,
): Promise<{ readonly tool: ToolFacts | null; readonly contentDigest: string | null }> {
  const files = filesOutsideOutput(options, platform);
  const contentDigest = await checkTasksAndMetrics(draft, { files, signal, sandboxes });
  const tool = await probeTool(draft.target.runner, {
    baseDir: draft.suite.baseDir,
    process: platform.process(token),
    sandboxes,
    files,
    signal,
    log: openChannel(options.onEvent, redactor).log,
    secrets: secrets.declared,
    scratch,
    trialsPerTask: draft.plan.trialsPerTask,
    ...suiteProcessOf(draft.suite, platform),
  });
  return { tool, contentDigest };
}

/** Shorter text of a login is no secret that could be told from other text. */
const minSecretBytes = 8;

/** A tool's own login and what stands in the settings is as secret as what was declared. */
function withFoundSecrets(
  { secrets, redactor }: Pick<Surroundings, "secrets" | "redactor">,
  { suite, target }: Draft,
  tool: ToolFacts | null,
): Redactor {
  const logins = Object.entries(tool?.secrets ?? {})
    .map(([name, value]) => ({ name, value }))
    .filter(({ value }) => Buffer.byteLength(value.trim()) >= minSecretBytes);
  const { config } = target.info;
  const found = [...logins, ...secretsInSettings({ config, parameters: suite.parameters })];
  return found.length === 0 ? redactor : createRedactor({ secrets: [...secrets.known, ...found] });
}

function storedIdentity(info: RunnerInfo, tool: ToolFacts | null, redactor: Redactor): RunnerInfo {
  const version = info.version ?? tool?.version ?? null;
  return {
    ...info,
    version: version === null ? null : redactor.text(version),
    config: redactor.settings(info.config),
  };
}

function redactRecord(record: TaskRecord, redactor: Redactor): TaskRecord {
  return redactor.json(record as unknown as JsonObject) as unknown as TaskRecord;
}

/** The plan as `--dry-run` shows it. */
export function previewOf(
  draft: Draft,
  { digests, info, metricFacts }: Pick<PreparedRun, "digests" | "info" | "metricFacts">,
): PlanPreview {
  const { suite, tasks, plan, target } = draft;
  return {
    suiteName: suite.name,
    target: info,
    taskIds: tasks.map(({ id }) => id),
    trialsPerTask: plan.trialsPerTask,
    trialCount: plan.trialCount,
    metrics: metricFacts.map(({ type, digest, taskCount }) => ({ type, digest, taskCount })),
    planDigest: digests.plan,
    settingsDigest: digests.settings,
    origins: target.options.origins,
  };
}
