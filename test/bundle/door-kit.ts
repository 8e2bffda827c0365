import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReceivedTrial } from "../../packages/assay/src/bundle/admit-trial.ts";
import type { ManifestFacts } from "../../packages/assay/src/bundle/manifest.ts";
import { WriteDoor } from "../../packages/assay/src/bundle/write-door.ts";
import type { FileStore } from "../../packages/assay/src/contracts/files.ts";
import type { Trial } from "../../packages/assay/src/contracts/runner.ts";
import { nodeFileStore } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { readOwnIdentity } from "../../packages/assay/src/platform/process-identity.ts";
import { createRedactor } from "../../packages/assay/src/provenance/redaction/redactor.ts";
import type { PlanRecord } from "../../packages/assay/src/schema/plan.ts";
import type { RunMetadata } from "../../packages/assay/src/schema/run-metadata.ts";
import type { ScoreRecord } from "../../packages/assay/src/schema/score.ts";
import type { Summary } from "../../packages/assay/src/schema/summary.ts";
import type { TaskRecord } from "../../packages/assay/src/schema/task.ts";
import type { JsonObject } from "../../packages/assay/src/support/json.ts";
import { canary, folder } from "./import-kit.ts";

export const digest = `assay-plan-v1:sha256:${"0".repeat(64)}`;

export const manifest: ManifestFacts = {
  runId: "run-1",
  status: "running",
  statusCause: null,
  provenanceSha256: null,
  invocations: [],
  token: "token",
};

export const task: TaskRecord = {
  id: "task",
  intent: "answers",
  inputs: { instruction: "do" },
  reference: {},
  views: {},
  metadata: {},
  metrics: [
    { type: "m", outputs: [{ name: "m", description: null, valueSchema: "ContinuousScore" }] },
  ],
};

export const plan: PlanRecord = {
  planVersion: 1,
  runId: "run-1",
  suiteName: "suite",
  planDigest: digest,
  settingsDigest: digest,
  resolvedDigest: digest,
  codeDigest: null,
  contentDigest: null,
  target: {
    name: "stand_in",
    kind: "runner",
    version: null,
    config: {},
    origins: {},
    shaping: {},
    resolved: {},
  },
  codeFiles: null,
  lockfileSha256: null,
  trialsPerTask: 1,
  tasks: [{ id: "task", digest }],
  metrics: { m: { digest, version: null, config: {} } },
  selection: { taskIds: null, limit: null },
  parameters: {},
  labels: {},
  engine: { concurrency: 1, scoringConcurrency: 1, failFast: false },
};

export const metadata: RunMetadata = {
  labels: {},
  target: { name: "stand_in", kind: "runner", version: null, config: {} },
  startedAt: "2026-08-01T10:00:00Z",
  finishedAt: "2026-08-01T10:00:01Z",
  durationSec: 1,
  sdkVersion: "0.0.0",
};

export const summary: Summary = {
  scores: { scores: [] },
  metricCoverage: {},
  taskMetricValues: {},
  errorTrialIds: {},
  taskCount: 1,
  trialCount: 1,
  scoreCount: 1,
  errorCount: 0,
};

/** A trial as it is received; what stands beside its record may be given as well. */
export function trial({
  trialIndex = 0,
  attempts = [{ cause: "ended", fault: "none", startedAt: "2026-08-01T10:00:00Z", durationMs: 5 }],
  scratchDirectory,
  ...more
}: Partial<Trial> = {}): ReceivedTrial {
  const record = {
    id: "task:agent",
    taskId: "task",
    status: "completed",
    output: { outputText: "yes", response: null, metadata: {} },
    evidence: null,
    error: null,
    measurements: {
      promptTokens: null,
      completionTokens: null,
      totalTokens: null,
      cacheCreationTokens: null,
      cacheReadTokens: null,
      runtimeSec: null,
      costUsd: null,
    },
    metadata: {},
    ...more,
  } as const;
  return { record, trialIndex, attempts, scratchDirectory: scratchDirectory ?? null };
}

export function score(more: Partial<ScoreRecord> = {}): ScoreRecord {
  return {
    id: "run-1:task:task:agent:m",
    runId: "run-1",
    taskId: "task",
    trialId: "task:agent",
    metricType: "m",
    status: "completed",
    outputs: [{ name: "m", value: 1 }],
    diagnostics: [],
    metadata: { row_index: 0, trial_metadata: {} },
    ...more,
  };
}

const identities = { own: readOwnIdentity, livenessOf: () => "alive" as const };

export const firstTask = { taskIndex: 0, earlierAttempts: 0 };

/** A clock that flushes at once. */
const hasty = {
  now: () => new Date("2026-08-01T10:00:00Z"),
  monotonicMs: () => 0,
  sleep: () => Promise.resolve(),
};

export interface DoorKitOptions {
  readonly secrets?: readonly string[];
  readonly files?: Partial<FileStore>;
  readonly dir?: string;
}

/** The files of a bundle by name. */
export function filesOf(dir: string) {
  const text = (name: string) => readFileSync(join(dir, name), "utf8");
  return {
    text,
    document: (name: string) => JSON.parse(text(name)) as JsonObject,
    rows: (name: string) =>
      text(name)
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as JsonObject),
  };
}

/** A door into a directory of the test's own. */
export async function openDoor(options: DoorKitOptions = {}) {
  const root = folder();
  const dir = options.dir ?? join(root, "run");
  const scratch = join(root, "scratch");
  const values = options.secrets ?? [canary];
  const redactor = createRedactor({
    secrets: values.map((value, index) => ({ name: `SECRET_${index}`, value })),
  });
  const files = { ...nodeFileStore, ...options.files };
  const door = await WriteDoor.create(dir, scratch, {
    files,
    clock: hasty,
    redactor,
    identities,
    token: "0123456789abcdef",
    importRoots: [],
  });
  return {
    root,
    dir,
    scratch,
    door,
    ...filesOf(dir),
  };
}

export type DoorKit = Awaited<ReturnType<typeof openDoor>>;

export interface WholeRun {
  readonly plan?: PlanRecord;
  readonly tasks?: readonly TaskRecord[];
  readonly trials?: readonly ReceivedTrial[];
  readonly scores?: readonly ScoreRecord[];
  readonly summary?: Summary;
  readonly metadata?: RunMetadata;
}

/** Writes all files of a run but the statement, and seals it. */
export async function writeRun({ door }: DoorKit, run: WholeRun = {}): Promise<void> {
  await door.begin({ manifest, plan: run.plan ?? plan, tasks: run.tasks ?? [task] });
  for (const one of run.trials ?? [trial()])
    await door.appendTrial(await door.admit(one, firstTask));
  for (const one of run.scores ?? [score()]) await door.appendScore(door.admitScore(one));
  await door.closeJournal();
  await door.writeSummary(run.summary ?? summary);
  await door.writeMetadata(run.metadata ?? metadata);
  await door.seal({ ...manifest, status: "completed" });
}
