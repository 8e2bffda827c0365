import type { RunContext, ToolFacts, TrialAttempt } from "../../contracts/runner.ts";
import type { RunnerTask } from "../../contracts/task.ts";
import type { EvidenceSet } from "../../schema/evidence.ts";
import type { Measurements } from "../../schema/trial.ts";
import { isPending } from "../../support/is-pending.ts";
import { copyPlain } from "../../support/json.ts";
import { formatInstant, roundedMs } from "../../support/timestamps.ts";
import type { AttemptContext } from "./attempt-context.ts";
import { collectEvidence } from "./attempt-evidence.ts";
import {
  type AttemptEnd,
  type AttemptProblem,
  problemOf,
  problemOfThrown,
  type Settled,
} from "./attempt-problem.ts";
import { type AttemptFootprint, type AttemptPlace, AttemptRecorder } from "./attempt-recorder.ts";
import { type CheckedDraft, checkDraft, type TrialDraft } from "./draft.ts";
import { type Cancellation, StopSignal, Waits } from "./stop-signal.ts";

export type RunOne<Options> = (
  task: RunnerTask,
  context: AttemptContext<Options>,
) => Promise<TrialDraft> | TrialDraft;

export interface AttemptSetup<Options> {
  readonly options: Options;
  readonly tool: ToolFacts | null;
  readonly run: RunOne<Options>;
  readonly timeLimitMs: number | null;
  readonly agentName: string;
  readonly cancellation: Cancellation;
}

/** How an attempt ended; `draft` is what it gave, `problem` what went wrong. */
export interface AttemptOutcome extends AttemptFootprint {
  readonly draft: CheckedDraft | null;
  readonly problem: AttemptProblem | null;
  readonly evidence: EvidenceSet | null;
  readonly measurements: Measurements;
  readonly ledger: TrialAttempt;
}

/** An attempt that has begun. */
interface Begun {
  readonly place: AttemptPlace;
  readonly recorder: AttemptRecorder;
  readonly run: RunContext;
  readonly startedAt: Date;
  readonly startMs: number;
  readonly queuedAtMs: number;
}

/** An attempt whose agent ended. */
interface Ended {
  readonly begun: Begun;
  readonly end: AttemptEnd;
  readonly draft: CheckedDraft | null;
  readonly durationMs: number;
  readonly measurements: Measurements;
}

/**
 * Makes one attempt within its time limit: at once, unless there is something to wait for. Never throws for what the agent
 * or the infrastructure did.
 */
export function makeAttempt<Options>(
  setup: AttemptSetup<Options>,
  place: AttemptPlace,
  run: RunContext,
  queuedAtMs: number,
): AttemptOutcome | Promise<AttemptOutcome> {
  const recorder = new AttemptRecorder(run, place);
  const startedAt = run.clock.now();
  const startMs = run.clock.monotonicMs();
  const begun = { place, recorder, run, startedAt, startMs, queuedAtMs };
  recorder.phase("run", startMs);
  const end = settle(setup, begun);
  return isPending(end)
    ? end.then((later) => conclude(setup, begun, later))
    : conclude(setup, begun, end);
}

function conclude<Options>(
  setup: AttemptSetup<Options>,
  begun: Begun,
  end: AttemptEnd,
): AttemptOutcome | Promise<AttemptOutcome> {
  const { recorder, startMs } = begun;
  const durationMs = roundedMs(recorder.end() - startMs);
  const draft = end.settled.kind === "draft" ? end.settled.draft : null;
  const measurements = recorder.usage.measurements(durationMs / 1000, draft?.measurements);
  const ended = { begun, end, draft, durationMs, measurements };
  if (recorder.hasDirectory || !recorder.hasNoEvidence || draft?.evidence !== undefined)
    return concludeOnDisk(setup, ended);
  return outcomeOf(ended, problemOf(end, setup), { evidence: null, footprint: noFootprint });
}

async function concludeOnDisk<Options>(
  setup: AttemptSetup<Options>,
  ended: Ended,
): Promise<AttemptOutcome> {
  const { begun, end, draft, measurements } = ended;
  const { place, recorder, run } = begun;
  if (recorder.hasDirectory) await endLeftovers(recorder, run);
  const { evidence, failure } = await collectEvidence(recorder, {
    files: run.files,
    drafted: draft?.evidence,
    session: () => ({
      ...sessionOf(setup, place, run),
      model: draft?.models?.served ?? draft?.models?.requested ?? null,
      usage: measurements,
    }),
  });
  const problem = failure === null ? problemOf(end, setup) : problemOfThrown(failure.thrown);
  return outcomeOf(ended, problem, { evidence, footprint: await recorder.footprint() });
}

interface Left {
  readonly evidence: EvidenceSet | null;
  readonly footprint: AttemptFootprint;
}

function outcomeOf(
  { begun, draft, durationMs, measurements }: Ended,
  problem: AttemptProblem | null,
  { evidence, footprint: { directory, seededFiles } }: Left,
): AttemptOutcome {
  const { recorder, startedAt, startMs, queuedAtMs } = begun;
  // Name by name: an object made of spreads costs more than all else here.
  const ledger: TrialAttempt = {
    cause: problem?.cause ?? "ended",
    fault: problem?.fault ?? "none",
    errorType: problem?.type ?? null,
    startedAt: formatInstant(startedAt),
    queueMs: roundedMs(Math.max(0, startMs - queuedAtMs)),
    durationMs,
    phasesMs: recorder.phasesMs(),
    requestedModel: draft?.models?.requested ?? null,
    servedModel: draft?.models?.served ?? null,
    imageDigest: draft?.imageDigest ?? null,
    promptTokens: measurements.promptTokens,
    completionTokens: measurements.completionTokens,
    costUsd: measurements.costUsd,
    cacheReadTokens: measurements.cacheReadTokens,
    evidence,
  };
  return { draft, problem, evidence, measurements, ledger, directory, seededFiles };
}

const noFootprint: AttemptFootprint = { directory: null, seededFiles: null };

/** What an agent started and left behind must neither change its evidence nor outlive its attempt. */
async function endLeftovers(recorder: AttemptRecorder, run: RunContext): Promise<void> {
  const { directory } = await recorder.footprint();
  if (directory !== null) await run.process.endBelow(directory);
}

function sessionOf<Options>(
  { agentName, tool }: AttemptSetup<Options>,
  { task, trialIndex }: AttemptPlace,
  { runId }: RunContext,
) {
  return {
    id: `${runId}:${task.id}:${trialIndex}`,
    agent: agentName,
    version: tool?.version ?? null,
  };
}

/** Runs the agent, and waits for it within its time limit where there is something to wait for. */
function settle<Options>(
  setup: AttemptSetup<Options>,
  begun: Begun,
): AttemptEnd | Promise<AttemptEnd> {
  const { place, recorder } = begun;
  const stopSignal = new StopSignal();
  const context = recorder.context(setup.options, setup.tool, stopSignal);
  const settled = beginWork(setup, viewOf(place), context);
  if (isPending(settled)) return settleLater(setup, begun, { work: settled, stopSignal });
  const { isCancelled } = setup.cancellation;
  return { settled, hasTimedOut: false, isCancelled, isSignalWatched: stopSignal.isWatched };
}

interface Work {
  readonly work: Promise<Settled>;
  readonly stopSignal: StopSignal;
}

/** An agent that is told to stop has the grace to end by itself, then it is abandoned. */
async function settleLater<Options>(
  { timeLimitMs, cancellation }: AttemptSetup<Options>,
  { run, startMs }: Begun,
  { work, stopSignal }: Work,
): Promise<AttemptEnd> {
  const waits = new Waits(run.clock);
  let hasTimedOut = false;
  let abandon = (_settled: Settled): void => {};
  const stop = (reason: unknown) => {
    stopSignal.stop(reason);
    // A runner that ends a process tree needs its own grace within this one.
    waits.after(run.limits.graceMs * 2, () => abandon({ kind: "abandoned" }));
  };
  const placeOfStop = cancellation.add(stop);
  if (timeLimitMs !== null) {
    const spentMs = run.clock.monotonicMs() - startMs;
    waits.after(Math.max(0, timeLimitMs - spentMs), () => {
      hasTimedOut = !cancellation.isCancelled;
      stop(new DOMException("The time limit of the trial was reached.", "TimeoutError"));
    });
  }
  const settled = await new Promise<Settled>((resolve) => {
    abandon = resolve;
    void work.then(resolve);
  });
  waits.end();
  cancellation.remove(placeOfStop);
  const { isCancelled } = cancellation;
  return { settled, hasTimedOut, isCancelled, isSignalWatched: stopSignal.isWatched };
}

function beginWork<Options>(
  { run }: AttemptSetup<Options>,
  task: RunnerTask,
  context: AttemptContext<Options>,
): Settled | Promise<Settled> {
  try {
    const draft = run(task, context);
    return isPending(draft) ? endWork(draft) : { kind: "draft", draft: checkDraft(draft) };
  } catch (thrown) {
    return { kind: "threw", thrown };
  }
}

async function endWork(draft: PromiseLike<TrialDraft>): Promise<Settled> {
  try {
    return { kind: "draft", draft: checkDraft(await draft) };
  } catch (thrown) {
    return { kind: "threw", thrown };
  }
}

/** A copy for each attempt: what an agent does to its inputs reaches no other trial. */
function viewOf({ task: { id, inputs, metadata } }: AttemptPlace): RunnerTask {
  return { id, inputs: copyPlain(inputs), metadata: copyPlain(metadata) };
}
