import path from "node:path";

import { BundleReader } from "../bundle/read-bundle.ts";
import type { TrialRecord } from "../schema/trial.ts";
import type { EvalResult, RunOptions } from "./api.ts";
import { openChannel } from "./channel.ts";
import { runEvaluation } from "./evaluate.ts";
import { heldTrials } from "./imported-trials.ts";
import { earlyRedactor } from "./plan/run-secrets.ts";
import type { Platform } from "./platform.ts";
import { assertEnded } from "./results/unfinished.ts";
import { identityOfSource, sourceLineage, storedTrials } from "./source-bundle.ts";
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
    const trials = await storedTrials(reader, platform.files);
    const tasks = tasksWithTrials(suite, trials, options.taskIds ?? []);
    const tasksLeftOut = suite.tasks.length - tasks.length;
    const lineage = await sourceLineage(reader, { relation: "rescored", tasksLeftOut });
    // What the lineage names as parent must be what the trials come from, and nothing is written before that is sure.
    await reader.assertUnaltered({ withEvidence: true });
    return { trials, tasks, lineage };
  });
  const { log } = openChannel(options.onEvent, earlyRedactor(suite.secrets, platform.env));
  for (const message of notesOn(reader, suite, tasks)) log.warn(message);
  const importedFrom = { source: null, identity: identityOfSource(lineage), lineage };
  return await runEvaluation({
    suite: { ...suite, tasks, target: null, importedTrials: heldTrials(trials), importedFrom },
    options,
    platform,
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
