import { damageError } from "../../bundle/integrity/file-damage.ts";
import { damagesOfLeftStatement, whyNotRunning } from "../../bundle/integrity/left-statement.ts";
import { bundleFiles } from "../../bundle/layout.ts";
import { BundleReader } from "../../bundle/read-bundle.ts";
import type { PlanShape, TrialBook } from "../../bundle/recovery/trial-book.ts";
import { type DoorTools, WriteDoor } from "../../bundle/write-door.ts";
import type { TrialPlan } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { Invocation } from "../../schema/invocation.ts";
import type { RunOptions } from "../api.ts";
import { cleanScratch } from "../inspect/clean.ts";
import type { PreparedRun } from "../run-state.ts";
import type { EarlierStarts, Session } from "../session.ts";
import { Tally } from "../trials/tally.ts";
import { acceptDifferences, comparePlans, storedForm } from "./compare-plans.ts";
import type { StoredRun } from "./stored-run.ts";

/** Opens a run that ended before its plan: what is there is checked and made whole, what is left is planned. */
export async function reopenRun(
  run: PreparedRun,
  stored: StoredRun,
  options: RunOptions,
  tools: DoorTools,
): Promise<Session> {
  const { dir } = stored.reader;
  const { allowDrift = false, takeOver = false } = options;
  refuseAltered(stored.reader);
  refuseSecretId(run, dir);
  const differences = comparePlans(stored.plan, storedForm(run));
  const accepted = acceptDifferences(differences, { allowDrift, dir });
  const door = await WriteDoor.reopen(dir, run.scratch, { takesOver: takeOver }, tools);
  try {
    const reader = await unchangedSince(stored, run);
    // The new seal must not vouch for what somebody altered under the old one.
    await reader.assertUnaltered({ withEvidence: true });
    await assertLeftAsItWas(reader, run);
    await cleanScratch(run.platform, { isDryRun: false, runId: run.runId });
    return await recoverSession(run, { reader, door, accepted, options });
  } catch (thrown) {
    await door.release();
    throw thrown;
  }
}

/** What was found altered at the end of an earlier start stays so. */
function refuseAltered({ dir, manifest: { alteredFiles = [] } }: BundleReader): void {
  if (alteredFiles.length === 0) return;
  const names = alteredFiles.map((name) => `"${name}"`).join(", ");
  throw new AssayError(
    "ASSAY_BUNDLE_DAMAGED",
    `${names} of the run in "${dir}" was altered while the run went on: it is not resumed`,
    {
      data: { path: dir, files: [...alteredFiles] },
      remedy: "Run again in a directory that the agent cannot write; do not trust these results.",
    },
  );
}

/** Nobody made a run that had ended look like one that was killed. */
async function assertLeftAsItWas({ dir, manifest }: BundleReader, run: PreparedRun): Promise<void> {
  const why = whyNotRunning(manifest);
  const damages =
    manifest.status === "running" ? await damagesOfLeftStatement(dir, run.platform.files) : [];
  if (damages.length > 0) throw damageError(dir, damages);
  if (why === null) return;
  throw new AssayError("ASSAY_BUNDLE_DAMAGED", `run.json in "${dir}" is damaged: ${why}`, {
    data: { path: dir, files: [bundleFiles.manifest] },
  });
}

/** All files of the run name its id, and no file is rewritten: with the secrets of now it would be two ids. */
function refuseSecretId({ runId, redactor }: PreparedRun, dir: string): void {
  if (redactor.text(runId) === runId) return;
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    `the run in "${dir}" cannot be resumed with the secrets that are known now: the value of one is a part of its run id`,
    {
      data: { path: dir },
      remedy: "Unset the variable that holds it, or give that secret another value, then resume.",
    },
  );
}

/** Another process may have gone on with the run between the first look and the claim. */
async function unchangedSince({ reader }: StoredRun, run: PreparedRun): Promise<BundleReader> {
  const now = await BundleReader.open(reader.dir, run.platform.files);
  if (now.manifest.selfDigest === reader.manifest.selfDigest) return now;
  throw new AssayError(
    "ASSAY_RUN_CLAIMED",
    `another process went on with the run in "${reader.dir}" meanwhile`,
    { data: { path: reader.dir }, remedy: "Start again, to go on with what it left." },
  );
}

interface Reopened {
  readonly reader: BundleReader;
  readonly door: WriteDoor;
  readonly accepted: readonly string[];
  readonly options: RunOptions;
}

async function recoverSession(
  run: PreparedRun,
  { reader, door, accepted, options }: Reopened,
): Promise<Session> {
  const { retryFailed = false } = options;
  const tally = new Tally();
  const recovery = await door.recover({
    checkpoint: reader.manifest.checkpoint ?? null,
    shape: shapeOf(run),
    onAttempt: (attempt) => tally.addAttempt(attempt),
  });
  tally.addFailures(recovery.book.failures(retryFailed));
  for (const note of recovery.notes) run.emit({ type: "warning", message: `resumed: ${note}` });
  const plan = remainingPlan(run.plan, recovery.book, retryFailed);
  const isDone = plan.trialCount === 0 && recovery.book.openScoreCount(retryFailed) === 0;
  const earlier: EarlierStarts = {
    invocations: (reader.manifest.invocations ?? []).map(ended),
    recovery,
    retryFailed,
    supersedes: retryFailed || plan.trialCount + recovery.book.trialCount > run.plan.trialCount,
    bundleDigest: await reader.digest(),
    isWhole: isDone && reader.manifest.status === "completed" && accepted.length === 0,
    accepted,
  };
  const directory = { path: reader.dir, isTemporary: false };
  return { door, directory, plan, tally, earlier };
}

/** What its rows are to be, in the terms of the bundle. */
export function shapeOf({ tasks, plan, metrics }: PreparedRun): PlanShape {
  return {
    taskIds: tasks.map(({ id }) => id),
    trialsPerTask: plan.trialsPerTask,
    metricTypes: metrics.map((list) => list.map(({ type }) => type)),
  };
}

function remainingPlan(plan: TrialPlan, book: TrialBook, retryFailed: boolean): TrialPlan {
  const tasks = plan.tasks
    .map((planned) => ({
      ...planned,
      trialIndexes: book.openTrials(planned.taskIndex, retryFailed),
    }))
    .filter(({ trialIndexes }) => trialIndexes.length > 0);
  const trialCount = tasks.reduce((sum, { trialIndexes }) => sum + trialIndexes.length, 0);
  const isRest = trialCount < plan.trialCount;
  return { tasks, trialsPerTask: plan.trialsPerTask, trialCount, ...(isRest && { isRest }) };
}

/** One that never told its end was killed. */
function ended(invocation: Invocation): Invocation {
  return typeof invocation.finishedAt === "string"
    ? invocation
    : { ...invocation, cause: "killed, or its directory could not be written" };
}
