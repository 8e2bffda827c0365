import type { RunContext, ToolFacts, TrialAttempt } from "../../contracts/runner.ts";
import type { RunnerTask } from "../../contracts/task.ts";
import type { EvidenceSet } from "../../schema/evidence.ts";
import type { Measurements } from "../../schema/trial.ts";
import { copyPlain } from "../../support/json.ts";
import { formatInstant, roundedMs } from "../../support/timestamps.ts";
import type { AttemptContext } from "./attempt-context.ts";
import { collectEvidence, withoutEvidence } from "./attempt-evidence.ts";
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
  const end = await settle(setup, { place, recorder, run });
  recorder.end();
  const durationMs = roundedMs(run.clock.monotonicMs() - startMs);
  if (recorder.hasDirectory) await endLeftovers(recorder, run);
  const draft = end.settled.kind === "draft" ? end.settled.draft : null;
  const measurements = recorder.usage.measurements(durationMs / 1000, draft?.measurements);
  const isWithout = draft?.evidence === undefined && recorder.hasNoEvidence;
  const collected = isWithout
    ? withoutEvidence
    : await collectEvidence(recorder, {
        files: run.files,
        drafted: draft?.evidence,
        session: () => ({
          ...sessionOf(setup, place, run),
          model: draft?.models?.served ?? draft?.models?.requested ?? null,
          usage: measurements,
        }),
      });
  const problem =
    collected.failure === null ? problemOf(end, setup) : problemOfThrown(collected.failure.thrown);
  const { evidence } = collected;
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
  const { directory, seededFiles } = recorder.hasDirectory
    ? await recorder.footprint()
    : noFootprint;
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

interface Work {
  readonly place: AttemptPlace;
  readonly recorder: AttemptRecorder;
  readonly run: RunContext;
}

/** Runs the agent; when it is told to stop it has the grace to end by itself, then it is abandoned. */
async function settle<Options>(
  setup: AttemptSetup<Options>,
  { place, recorder, run }: Work,
): Promise<AttemptEnd> {
  const { timeLimitMs, cancellation } = setup;
  const stopSignal = new StopSignal();
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
    waits.after(timeLimitMs, () => {
      hasTimedOut = !cancellation.isCancelled;
      stop(new DOMException("The time limit of the trial was reached.", "TimeoutError"));
    });
  }
  const work = workOf(
    setup,
    viewOf(place),
    recorder.context(setup.options, setup.tool, stopSignal),
  );
  const settled = await new Promise<Settled>((resolve) => {
    abandon = resolve;
    void work.then(resolve);
  });
  waits.end();
  cancellation.remove(placeOfStop);
  const { isCancelled } = cancellation;
  return { settled, hasTimedOut, isCancelled, isSignalWatched: stopSignal.isWatched };
}

async function workOf<Options>(
  { run }: AttemptSetup<Options>,
  task: RunnerTask,
  context: AttemptContext<Options>,
): Promise<Settled> {
  try {
    return { kind: "draft", draft: checkDraft(await run(task, context)) };
  } catch (thrown) {
    return { kind: "threw", thrown };
  }
}

/** A copy for each attempt: what an agent does to its inputs reaches no other trial. */
function viewOf({ task: { id, inputs, metadata } }: AttemptPlace): RunnerTask {
  return { id, inputs: copyPlain(inputs), metadata: copyPlain(metadata) };
}
