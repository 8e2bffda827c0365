import path from "node:path";

import type { RunContext, ToolFacts, TrialAttempt } from "../../contracts/runner.ts";
import { AssayError, describeThrown, messageOf } from "../../errors/assay-error.ts";
import type { AttemptCause } from "../../schema/attempt.ts";
import { type EvidenceSet, evidenceSetSchema } from "../../schema/evidence.ts";
import type { TrialErrorType } from "../../schema/trial.ts";
import { formatInstant } from "../../support/timestamps.ts";
import { type AttemptContext, type AttemptPlace, AttemptRecorder } from "./attempt-context.ts";
import { type TrialDraft, TrialFailure } from "./draft.ts";

export type RunOne<Options> = (task: AttemptPlace["task"], context: AttemptContext<Options>) => Promise<TrialDraft>;

export interface AttemptSetup<Options> {
  readonly options: Options;
  readonly tool: ToolFacts | null;
  readonly run: RunOne<Options>;
  readonly timeLimitMs: number | null;
  readonly agentName: string;
}

/** How an attempt ended; `draft` is what it gave, `problem` what went wrong. */
export interface AttemptOutcome {
  readonly cause: AttemptCause;
  readonly draft: TrialDraft | null;
  readonly problem: AttemptProblem | null;
  readonly recorder: AttemptRecorder;
  readonly evidence: EvidenceSet;
  readonly ledger: TrialAttempt;
}

export interface AttemptProblem {
  readonly type: TrialErrorType;
  readonly message: string;
  readonly traceback: string | null;
  readonly fault: TrialAttempt["fault"];
  readonly isRetryable: boolean;
  /** The agent ran: the trial is partial, not failed. */
  readonly hasAgentRun: boolean;
  readonly metadata: TrialDraft["metadata"];
}

type Settled =
  | { readonly kind: "draft"; readonly draft: TrialDraft }
  | { readonly kind: "threw"; readonly thrown: unknown }
  | { readonly kind: "abandoned" };

/** Makes one attempt within its time limit. Never throws for what the agent or the infrastructure did. */
export async function makeAttempt<Options>(
  setup: AttemptSetup<Options>,
  place: AttemptPlace,
  run: RunContext,
  queuedAtMs: number,
): Promise<AttemptOutcome> {
  const recorder = new AttemptRecorder(run, place);
  const startedAt = run.clock.now();
  const startMs = run.clock.monotonicMs();
  recorder.phase("run");
  const { settled, hasTimedOut } = await settle(setup, { task: place.task, recorder, run });
  recorder.end();
  const durationMs = run.clock.monotonicMs() - startMs;
  const draft = settled.kind === "draft" ? settled.draft : null;
  const problem = problemOf(settled, { hasTimedOut, isCancelled: run.signal.aborted, timeLimitMs: setup.timeLimitMs });
  const evidence = await collectEvidence(recorder, draft, { setup, place, run });
  const cause = causeOf(problem, { hasTimedOut, isCancelled: run.signal.aborted && settled.kind !== "draft" });
  const sums = { ...recorder.usage.sums, ...draft?.measurements };
  const ledger: TrialAttempt = {
    cause,
    fault: problem?.fault ?? "none",
    errorType: problem?.type ?? null,
    startedAt: formatInstant(startedAt),
    queueMs: Math.max(0, startMs - queuedAtMs),
    durationMs,
    phasesMs: recorder.phasesMs(),
    requestedModel: draft?.models?.requested ?? null,
    servedModel: draft?.models?.served ?? null,
    promptTokens: sums.promptTokens ?? null,
    completionTokens: sums.completionTokens ?? null,
    costUsd: sums.costUsd ?? null,
    evidence,
  };
  return { cause, draft, problem, recorder, evidence, ledger };
}

interface Work {
  readonly task: AttemptPlace["task"];
  readonly recorder: AttemptRecorder;
  readonly run: RunContext;
}

/** Runs the agent; after the signal it has the grace to end by itself, then it is abandoned. */
async function settle<Options>(
  { options, tool, run: runOne, timeLimitMs }: AttemptSetup<Options>,
  { task, recorder, run }: Work,
): Promise<{ readonly settled: Settled; readonly hasTimedOut: boolean }> {
  const attempt = new AbortController();
  const isDone = new AbortController();
  let hasTimedOut = false;
  const cancel = () => attempt.abort(run.signal.reason);
  if (run.signal.aborted) cancel();
  // Linked by hand: AbortSignal.any keeps every dependant of a long-lived signal alive.
  run.signal.addEventListener("abort", cancel, { once: true });
  if (timeLimitMs !== null) {
    void after(timeLimitMs, isDone.signal, run, () => {
      hasTimedOut = !run.signal.aborted;
      attempt.abort(new DOMException("The time limit of the trial was reached.", "TimeoutError"));
    });
  }
  const work = Promise.resolve()
    .then(() => runOne(task, recorder.context(options, tool, attempt.signal)))
    .then(
      (draft): Settled => ({ kind: "draft", draft }),
      (thrown: unknown): Settled => ({ kind: "threw", thrown }),
    );
  const abandoned = new Promise<Settled>((resolve) => {
    // A runner that ends a process tree needs its own grace within this one.
    const wait = () => void after(run.limits.graceMs * 2, isDone.signal, run, () => resolve({ kind: "abandoned" }));
    if (attempt.signal.aborted) wait();
    else attempt.signal.addEventListener("abort", wait, { once: true });
  });
  const settled = await Promise.race([work, abandoned]);
  isDone.abort();
  run.signal.removeEventListener("abort", cancel);
  return { settled, hasTimedOut };
}

/** Calls `then` after `ms` unless `isDone` is aborted before. */
async function after(ms: number, isDone: AbortSignal, { clock }: RunContext, then: () => void): Promise<void> {
  const isElapsed = await clock.sleep(ms, isDone).then(
    () => true,
    () => false,
  );
  if (isElapsed) then();
}

interface EndFacts {
  readonly hasTimedOut: boolean;
  readonly isCancelled: boolean;
  readonly timeLimitMs: number | null;
}

function problemOf(settled: Settled, { hasTimedOut, isCancelled, timeLimitMs }: EndFacts): AttemptProblem | null {
  if (hasTimedOut) {
    const abandoned = settled.kind === "abandoned" ? "; it ignored its signal and was abandoned" : "";
    const seconds = (timeLimitMs ?? 0) / 1000;
    return agentProblem("TimeoutError", `the agent did not end within its time limit of ${seconds} s${abandoned}`, settled);
  }
  if (settled.kind === "draft") {
    const { error } = settled.draft;
    if (error !== undefined) return { ...agentProblem(error.type, error.message, settled), traceback: error.traceback ?? null };
    return isBlank(settled.draft.output) ? agentProblem("BlankReply", "the agent gave a blank reply", settled) : null;
  }
  if (isCancelled || settled.kind === "abandoned") {
    return { ...agentProblem("UnknownException", "cancelled", settled), fault: "none" };
  }
  return thrownProblem(settled.thrown);
}

function agentProblem(type: TrialErrorType, message: string, settled: Settled): AttemptProblem {
  const metadata = settled.kind === "draft" ? settled.draft.metadata : undefined;
  return { type, message, traceback: null, fault: "target", isRetryable: false, hasAgentRun: true, metadata };
}

function thrownProblem(thrown: unknown): AttemptProblem {
  const base = { message: messageOf(thrown), traceback: null, isRetryable: false, hasAgentRun: false, metadata: undefined };
  if (thrown instanceof TrialFailure) return { ...base, type: thrown.type, fault: "user", metadata: thrown.metadata };
  if (!AssayError.isInstance(thrown)) {
    return { ...base, type: "RunnerError", message: describeThrown(thrown), traceback: stackOf(thrown), fault: "infrastructure" };
  }
  const fault = thrown.fault === "environment" || thrown.fault === "user" ? thrown.fault : "infrastructure";
  return { ...base, type: typeOfCode(thrown), fault, isRetryable: thrown.retryable };
}

function typeOfCode({ code }: AssayError): TrialErrorType {
  switch (code) {
    case "ASSAY_SEED_INVALID":
      return "WorkspaceSeedError";
    case "ASSAY_PROCESS_SPAWN_FAILED":
      return "ProcessSpawnError";
    case "ASSAY_CONNECTION_FAILED":
      return "ConnectionError";
    case "ASSAY_RATE_LIMITED":
      return "RateLimited";
    case "ASSAY_SECRET_MISSING":
      return "MissingCredential";
    case "ASSAY_PATH_ESCAPES":
      return "UnsafeFolder";
    default:
      return "RunnerError";
  }
}

function causeOf(
  problem: AttemptProblem | null,
  { hasTimedOut, isCancelled }: { readonly hasTimedOut: boolean; readonly isCancelled: boolean },
): AttemptCause {
  if (hasTimedOut) return "timeout";
  if (isCancelled) return "cancelled";
  if (problem === null || problem.hasAgentRun) return "ended";
  return problem.fault === "infrastructure" ? "infrastructure" : "error";
}

export function isBlank(output: TrialDraft["output"]): boolean {
  if (output === null) return true;
  if (typeof output === "string") return output.trim() === "";
  return (output.outputText ?? "").trim() === "" && (output.response ?? null) === null;
}

function stackOf(thrown: unknown): string | null {
  return thrown instanceof Error ? (thrown.stack ?? null) : null;
}

interface Collection<Options> {
  readonly setup: AttemptSetup<Options>;
  readonly place: AttemptPlace;
  readonly run: RunContext;
}

/** The evidence of the attempt: what the runner added, its log, its trajectory. */
async function collectEvidence<Options>(
  recorder: AttemptRecorder,
  draft: TrialDraft | null,
  { setup, place, run }: Collection<Options>,
): Promise<EvidenceSet> {
  const descriptors = { ...recorder.descriptors, ...draft?.evidence };
  if (recorder.logLines.length > 0) {
    const folder = path.join(await recorder.directory(), "logs");
    await run.files.makePrivateDirectory(folder);
    await run.files.writeAtomic(path.join(folder, "agent.jsonl"), `${recorder.logLines.join("\n")}\n`);
    descriptors["logs"] ??= { kind: "logs", format: "dir", ref: folder, metadata: { primary_log: "agent.jsonl" } };
  }
  if (!recorder.trajectory.isEmpty && descriptors["trace"] === undefined) {
    const file = path.join(await recorder.directory(), "trajectory.atif.json");
    const atif = recorder.trajectory.toAtif({
      id: `${run.runId}:${place.task.id}:${place.trialIndex}`,
      agent: setup.agentName,
      version: setup.tool?.version ?? null,
    });
    await run.files.writeAtomic(file, JSON.stringify(atif));
    descriptors["trace"] = { kind: "trace", format: "atif", ref: file };
  }
  return evidenceSetSchema.parse({ descriptors, metadata: {} });
}
