import path from "node:path";

import type { EarlierImport, ImportRoot } from "../bundle/evidence-import/import-root.ts";
import { BundleReader } from "../bundle/read-bundle.ts";
import { resolveRefs } from "../bundle/resolve-refs.ts";
import { trialOrderOf } from "../bundle/trial-order.ts";
import { AssayError } from "../errors/assay-error.ts";
import type { TrialRecord } from "../schema/trial.ts";
import { formatRow } from "../support/json.ts";
import type { EvalResult, RunOptions } from "./api.ts";
import { runEvaluation } from "./evaluate.ts";
import { type Lineage, type Parent, storedParents } from "./lineage.ts";
import type { Platform } from "./platform.ts";
import { assertEnded } from "./results/unfinished.ts";
import { storedFactsOf } from "./stored-facts.ts";
import type { Suite } from "./suite/suite.ts";

export interface Rescoring {
  /** The bundle whose trials are scored again. */
  readonly dir: string;
  /** Gives tasks and metrics; its target is not used. */
  readonly suite: Suite;
  readonly options: RunOptions;
  readonly platform: Platform;
}

/**
 * New scores from stored trials: no agent is run, and the identity of what made them stays in the lineage. A bundle may
 * hold trials of a part of the suite only: tasks without one are left out, which is told and recorded.
 */
export async function rescore({ dir, suite, options, platform }: Rescoring): Promise<EvalResult> {
  const source = path.resolve(platform.cwd, dir);
  const reader = await BundleReader.open(source, platform.files);
  await assertEnded(reader, platform);
  const { trials, tasks, lineage } = await reader.reading(async () => {
    const trials = await storedTrials(reader, platform);
    const tasks = tasksWithTrials(suite, trials, options.taskIds ?? []);
    const lineage = await lineageOf(reader, suite.tasks.length - tasks.length);
    // What the lineage names as parent must be what the trials come from, and nothing is written before that is sure.
    await reader.assertUnaltered({ withEvidence: true });
    return { trials, tasks, lineage };
  });
  for (const message of notesOn(reader, suite, tasks))
    options.onEvent?.({ type: "warning", message });
  return await runEvaluation({
    suite: { ...suite, tasks, target: null, importedTrials: trials },
    options,
    platform,
    lineage,
  });
}

/** Tasks that were asked for by their ids stay: that there is no trial of one is an error then. */
function tasksWithTrials(
  suite: Suite,
  trials: readonly TrialRecord[],
  askedFor: readonly string[],
): Suite["tasks"] {
  const kept = new Set([...trials.map(({ taskId }) => taskId), ...askedFor]);
  const tasks = suite.tasks.filter(({ id }) => kept.has(id));
  // With none left, all stay: then whoever checks the trials says what does not fit.
  return tasks.length === 0 ? suite.tasks : tasks;
}

function* notesOn(
  { unsealedBecause, gaps }: BundleReader,
  { tasks: all }: Suite,
  tasks: Suite["tasks"],
): Iterable<string> {
  if (unsealedBecause !== null)
    yield `the bundle has no digests, so its trials are not verified: ${unsealedBecause}`;
  for (const gap of gaps) yield `the bundle is of an older format: ${gap}`;
  const leftOut = all.length - tasks.length;
  if (leftOut > 0)
    yield `${leftOut} of ${all.length} tasks of the suite are left out: the bundle holds no trial of them`;
}

/** In plan order, evidence refs absolute. */
async function storedTrials(reader: BundleReader, { files }: Platform): Promise<TrialRecord[]> {
  const order = await trialOrderOf(reader.attempts());
  const seen = new Set<string>();
  const trials: { readonly trial: TrialRecord; readonly index: number }[] = [];
  for await (const trial of reader.trials()) {
    const key = formatRow([trial.taskId, trial.id]);
    if (seen.has(key)) throw twice(trial);
    seen.add(key);
    const evidence = await resolveRefs(trial.evidence, reader.dir, files);
    const index = order(trial.taskId, trial.id) ?? trials.length;
    trials.push({ trial: { ...trial, evidence }, index });
  }
  if (trials.length === 0) {
    throw new AssayError("ASSAY_TRIALS_INVALID", `the bundle "${reader.dir}" holds no trial`, {
      remedy: "Run its suite: there is nothing that could be scored.",
    });
  }
  return trials.sort((a, b) => a.index - b.index).map(({ trial }) => trial);
}

/** Their scores could not be told apart. */
function twice({ taskId, id }: TrialRecord): AssayError {
  return new AssayError(
    "ASSAY_TRIALS_INVALID",
    `the bundle holds trial "${id}" of task "${taskId}" twice`,
    {
      data: { task_id: taskId, trial_id: id },
      remedy: "Leave one of the two rows in trials.jsonl.",
    },
  );
}

async function lineageOf(reader: BundleReader, tasksLeftOut: number): Promise<Lineage> {
  const { target } = await reader.metadata();
  const facts = await storedFactsOf(reader);
  const parent: Parent = {
    relation: "rescored",
    runId: reader.manifest.runId,
    target,
    bundleDigest: await reader.digest(),
    digests: facts?.digests ?? null,
    tasksLeftOut,
  };
  return {
    parents: [parent, ...storedParents(facts)],
    evidenceRoots: [await evidenceRoot(reader)],
  };
}

/** What the files of the bundle lack already is true of their copies. Only Assay's own list says which are programs. */
async function evidenceRoot(reader: BundleReader): Promise<ImportRoot> {
  const earlier = new Map<string, EarlierImport>();
  const executables = new Set<string>();
  for await (const { path: file, isExecutable, ...row } of reader.evidenceFiles()) {
    const { redactions, isTruncated, isWithheld } = row;
    if (redactions > 0 || isTruncated || isWithheld)
      earlier.set(file, { redactions, isTruncated, isWithheld });
    if (isExecutable) executables.add(file);
  }
  return { dir: reader.dir, earlier, ...(reader.isOwn ? { executables } : {}) };
}
