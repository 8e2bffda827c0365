import type { EarlierImport, ImportRoot } from "../bundle/evidence-import/import-root.ts";
import type { BundleReader } from "../bundle/read-bundle.ts";
import { resolveRefs } from "../bundle/resolve-refs.ts";
import { trialOrderOf } from "../bundle/trial-order.ts";
import type { FileStore } from "../contracts/files.ts";
import { AssayError } from "../errors/assay-error.ts";
import type { TrialRecord } from "../schema/trial.ts";
import { formatRow, type JsonObject } from "../support/json.ts";
import { type Lineage, type Parent, storedParents } from "./lineage.ts";
import { storedFactsOf } from "./stored-facts.ts";

/** In plan order, evidence refs absolute. */
export async function storedTrials(
  reader: BundleReader,
  files: FileStore,
): Promise<readonly TrialRecord[]> {
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

/** What is recorded of a bundle as the source of trials, and where their evidence lies. */
export async function sourceLineage(
  reader: BundleReader,
  { relation, tasksLeftOut }: Pick<Parent, "relation" | "tasksLeftOut">,
): Promise<Lineage> {
  const { target } = await reader.metadata();
  const facts = await storedFactsOf(reader);
  const parent: Parent = {
    relation,
    runId: reader.manifest.runId,
    target,
    bundleDigest: await reader.digest(),
    digests: facts?.digests ?? null,
    tasksLeftOut,
  };
  return {
    parents: [parent, ...storedParents(facts?.parents)],
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

/** The parent that a lineage names first, as the identity of imported trials. */
export function identityOfSource({ parents: [parent] }: Lineage): JsonObject {
  return parent === undefined ? {} : { run_id: parent.runId, bundle_digest: parent.bundleDigest };
}
