import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EvaluationConfig, Metric, RunEvent, TaskDefinition } from "assay";
import { callable } from "assay/runners";

import { selfDigest } from "../../packages/assay/src/bundle/manifest.ts";
import { readOwnIdentity } from "../../packages/assay/src/platform/process-identity.ts";
import type { JsonObject } from "../../packages/assay/src/support/json.ts";
import { toSnakeCase } from "../../packages/assay/src/support/names.ts";
import { bench, constant, storedDocument, storedRows, tasks } from "./run-kit.ts";

interface AgentContext {
  readonly trialIndex: number;
  readonly signal: AbortSignal;
  readonly usage: { add(usage: { promptTokens?: number; costUsd?: number }): void };
}

type Agent = (id: string, trialIndex: number, context: AgentContext) => unknown;

export interface ResumableRun {
  readonly tasks?: readonly TaskDefinition[];
  readonly metrics?: readonly Metric[];
  readonly agent?: Agent;
  readonly options?: Omit<Parameters<typeof callable>[0], "name" | "agent">;
  readonly config?: EvaluationConfig;
  readonly env?: Readonly<Record<string, string>>;
}

/** A run that can be started again and again in one directory, and whose agent counts its calls. */
export function resumable(defaults: ResumableRun = {}) {
  const here = bench({ env: defaults.env ?? {} });
  const calls: string[] = [];
  const start = async (more: ResumableRun = {}) => {
    const { agent = () => "yes", options = {}, ...rest } = { ...defaults, ...more };
    const target = callable({
      name: "agent",
      ...options,
      agent: ({ id }: { id: string }, context: AgentContext) => {
        calls.push(`${id}#${context.trialIndex}`);
        return agent(id, context.trialIndex, context) as string;
      },
    } as Parameters<typeof callable>[0]);
    return await here.evaluator.run({
      tasks: rest.tasks ?? tasks(3),
      metrics: rest.metrics ?? [constant()],
      target,
      config: {
        workDir: here.workDir,
        trialsPerTask: 2,
        concurrency: 1,
        onEvent: here.onEvent,
        ...defaults.config,
        ...more.config,
      },
    });
  };
  return {
    ...here,
    /** `task#index` of each call of the agent, over all starts. */
    calls,
    start: async (more?: ResumableRun) => await start(more),
    resume: async (more: ResumableRun = {}) =>
      await start({ ...more, config: { ...more.config, resume: true } }),
    rows: (name: string) => storedRows(here.workDir, name),
    document: (name: string) => storedDocument(here.workDir, name),
    warnings: () =>
      here.events.flatMap((event: RunEvent) => (event.type === "warning" ? [event.message] : [])),
    summary: () => readFileSync(join(here.workDir, "summary.json"), "utf8"),
  };
}

/** Makes of an ended run what SIGKILL would have left at some moment before its end. */
export function asKilled(dir: string): void {
  for (const name of ["summary.json", "metadata.json", "provenance.json", "provenance.dsse.json"])
    rmSync(join(dir, name), { force: true });
  const { self_digest: _digest, ...manifest } = storedDocument(dir, "run.json");
  const unknown = { unknown: "it has not ended, or was killed" };
  const invocations = (manifest["invocations"] as JsonObject[]).map((invocation, index, all) =>
    index === all.length - 1
      ? { ...invocation, finished_at: unknown, cause: "running" }
      : invocation,
  );
  const sealed = { provenance_sha256: null, signature_sha256: null };
  const running: JsonObject = { ...manifest, ...sealed, status: "running", invocations };
  writeFileSync(
    join(dir, "run.json"),
    JSON.stringify({ ...running, self_digest: selfDigest(running) }),
  );
  const own = Object.entries(readOwnIdentity()).map(([key, value]) => [toSnakeCase(key), value]);
  const dead = { ...Object.fromEntries(own), pid: 1, start_ticks: -1 };
  writeFileSync(
    join(dir, "claim.json"),
    JSON.stringify({ run_token: "0123456789abcdef", ...dead, claimed_at: "2026-08-01T10:00:00Z" }),
  );
}

/** Cuts the last `count` rows off a file. */
export function cutRows(dir: string, name: string, count: number): void {
  const file = join(dir, name);
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  writeFileSync(
    file,
    lines
      .slice(0, lines.length - count)
      .map((line) => `${line}\n`)
      .join(""),
  );
}
