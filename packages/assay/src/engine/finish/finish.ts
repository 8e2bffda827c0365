import { BundleReader } from "../../bundle/read-bundle.ts";
import { redactRecord } from "../../bundle/redact-record.ts";
import type { Sign } from "../../bundle/stored-documents.ts";
import { AssayError, describeThrown } from "../../errors/assay-error.ts";
import { exitCodeOf, exitCodes } from "../../errors/exit-codes.ts";
import type { Invocation } from "../../schema/invocation.ts";
import type { RunMetadata } from "../../schema/run-metadata.ts";
import { type Aggregate, aggregateSchema, type Summary } from "../../schema/summary.ts";
import { listNames } from "../../support/names.ts";
import { formatInstant } from "../../support/timestamps.ts";
import type { EvalResult, RunOptions } from "../api.ts";
import { begunInvocation, endedInvocation } from "../invocations.ts";
import { type Lineage, producerOf } from "../lineage.ts";
import { type Moment, momentOf } from "../moment.ts";
import { storedResult } from "../results/stored-result.ts";
import { shapeOf } from "../resume/reopen-run.ts";
import type { PreparedRun } from "../run-state.ts";
import type { Session } from "../session.ts";
import { acceptRunnerAggregates } from "../summarise/runner-aggregates.ts";
import { summariseBundle } from "../summarise/summarise-bundle.ts";
import type { Execution } from "../trials/execute.ts";
import type { StopCause } from "../trials/stop-cause.ts";
import { endingOf } from "./ending.ts";
import { runProvenance } from "./run-provenance.ts";

export interface FinishRequest {
  readonly run: PreparedRun;
  readonly session: Session;
  readonly execution: Execution;
  readonly started: Moment;
  readonly lineage: Lineage;
  readonly options: RunOptions;
  /** Gives the signed envelope of a statement; null when nobody signs. */
  readonly sign: Sign | null;
}

/** Summary, metadata, statement, manifest: each a function of what is on disk by now. */
export async function finishRun(request: FinishRequest): Promise<EvalResult> {
  try {
    return await finish(request);
  } catch (thrown) {
    throw unfinished(request.session.door.dir, thrown);
  }
}

/** By now trials were run, so whatever is wrong, it is not that nothing was run. */
function unfinished(dir: string, thrown: unknown): unknown {
  if (!AssayError.isInstance(thrown) || !nothingWasRun.has(exitCodeOf(thrown.fault))) return thrown;
  return new AssayError(
    "ASSAY_STORE_FAILED",
    `the run in "${dir}" could not be finished: ${thrown.message}`,
    { cause: thrown },
  );
}

const nothingWasRun: ReadonlySet<number> = new Set([exitCodes.input, exitCodes.missing]);

async function finish(request: FinishRequest): Promise<EvalResult> {
  const { run, session, execution, started } = request;
  const { door, earlier } = session;
  await closeJournal(request);
  const ending = endingOf(execution);
  const finished = momentOf(run.platform.clock);
  const invocations = [
    ...(earlier?.invocations ?? []),
    endedInvocation(begunInvocation(run, earlier, request), {
      started,
      finished,
      ending,
      redactions: run.redactor.counts(),
    }),
  ];
  const summary = await summarise(request);
  await door.writeSummary(summary);
  await door.writeMetadata(metadataOf(run, invocations, finished));
  warnOfLaterCode(run);
  const subjects = await door.subjects();
  const statement = runProvenance({ ...request, ending, invocations, subjects });
  const digests = await door.writeProvenance(statement, request.sign);
  await door.seal({
    runId: run.runId,
    token: run.token,
    status: ending.status,
    statusCause: ending.cause,
    ...digests,
    invocations,
  });
  return await resultOf(request, { summary, exitCode: ending.exitCode });
}

/** All that was given is on disk then, and rows that were done again stand there once. */
async function closeJournal({ run, session, execution }: FinishRequest): Promise<void> {
  const { door, earlier } = session;
  if (execution.stop?.kind === "store_failed") {
    await door.closeJournal().catch(() => {
      // The failure that stopped the run is the one to tell.
    });
    throw storeFailed(door.dir, execution.stop);
  }
  await door.closeJournal();
  if (earlier?.supersedes === true) await door.tidy(shapeOf(run));
}

async function resultOf(
  { run, session: { door, directory } }: FinishRequest,
  { summary, exitCode }: { readonly summary: Summary; readonly exitCode: number },
): Promise<EvalResult> {
  const { platform, tasks } = run;
  const reader = await BundleReader.open(door.dir, platform.files);
  const { isTemporary } = directory;
  return await storedResult(reader, { exitCode, platform, isTemporary, summary, tasks });
}

/** The journal failed: what was reported stays, and the manifest keeps saying that the run did not end. */
function storeFailed(dir: string, { message, cause }: StopCause): AssayError {
  if (AssayError.isInstance(cause)) return cause;
  return new AssayError(
    "ASSAY_STORE_FAILED",
    `the run directory "${dir}" could not be written: ${message}`,
    { cause },
  );
}

async function summarise({ run, session: { door }, lineage }: FinishRequest): Promise<Summary> {
  const reader = await BundleReader.open(door.dir, run.platform.files);
  return await summariseBundle(reader, run.tasks, runnerAggregates(run, lineage));
}

/** A provider that throws never costs the run. */
function runnerAggregates(run: PreparedRun, { parents }: Lineage): readonly Aggregate[] {
  // Imported trials bring the figures of what produced them.
  const { name } = producerOf(parents)?.target ?? run.info;
  try {
    const given = run.target.runner.runAggregateScores?.() ?? [];
    const { kept, dropped } = acceptRunnerAggregates(name, given);
    if (dropped.length > 0) {
      run.emit({
        type: "warning",
        message: `dropped aggregates outside "runner.${name}.": ${dropped.join(", ")}`,
      });
    }
    return kept.map((aggregate) => redactRecord(aggregateSchema, aggregate, run.redactor));
  } catch (thrown) {
    run.emit({
      type: "warning",
      message: `the runner's aggregates were left out, for it threw ${describeThrown(thrown)}`,
    });
    return [];
  }
}

/** An agent in a process of its own may name as many as it likes. */
const shownModules = 20;

/** The digests were taken before the first trial; what came after is recorded beside them. */
function warnOfLaterCode({ suite, emit }: PreparedRun): void {
  const { files = [], blind = [] } = suite.code?.later() ?? {};
  const names = listNames(
    files.map(({ path }) => path),
    shownModules,
  );
  if (files.length > 0)
    emit({
      type: "warning",
      message: `first loaded while the trials ran, so no part of the code digest: ${names}; import it by a literal name or at the top of the suite`,
    });
  if (blind.length > 0)
    emit({
      type: "warning",
      message: `what these modules import(...) is not recorded, for this version of Node does not show it: ${listNames(blind, shownModules)}`,
    });
}

/** The duration is of the time in which the run went on: pauses between its starts are no part of it. */
function metadataOf(
  run: PreparedRun,
  invocations: readonly Invocation[],
  finished: Moment,
): RunMetadata {
  const finishedAt = formatInstant(finished.instant);
  const durations = invocations.map(({ durationMs }) =>
    typeof durationMs === "number" ? durationMs : 0,
  );
  return {
    labels: run.labels,
    target: run.info,
    startedAt: invocations[0]?.startedAt ?? finishedAt,
    finishedAt,
    durationSec: durations.reduce((sum, ms) => sum + ms, 0) / 1000,
    sdkVersion: run.platform.assayVersion,
  };
}
