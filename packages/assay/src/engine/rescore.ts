import path from "node:path";

import { BundleReader } from "../bundle/read-bundle.ts";
import { resolveRefs } from "../bundle/resolve-refs.ts";
import type { TrialRecord } from "../schema/trial.ts";
import { isPlainObject, type JsonObject } from "../support/json.ts";
import type { EvalResult, RunOptions } from "./api.ts";
import { runEvaluation } from "./evaluate.ts";
import type { Lineage } from "./lineage.ts";
import type { Platform } from "./platform.ts";
import { assertEnded } from "./results/read-result.ts";
import type { Suite } from "./suite/suite.ts";
import { trialOrderOf } from "./summarise/trial-order.ts";

export interface Rescoring {
  /** The bundle whose trials are scored again. */
  readonly dir: string;
  /** Gives tasks and metrics; its target is not used. */
  readonly suite: Suite;
  readonly options: RunOptions;
  readonly platform: Platform;
}

/** New scores from stored trials: no agent is run, and the identity of what made them stays in the lineage. */
export async function rescore({ dir, suite, options, platform }: Rescoring): Promise<EvalResult> {
  const source = path.resolve(platform.cwd, dir);
  const reader = await BundleReader.open(source, platform.files);
  assertEnded(reader);
  const importedTrials = await storedTrials(reader, platform);
  const lineage = await lineageOf(reader);
  return await runEvaluation({
    suite: { ...suite, target: null, importedTrials },
    options,
    platform,
    lineage,
  });
}

/** In plan order, evidence refs absolute. */
async function storedTrials(reader: BundleReader, { files }: Platform): Promise<TrialRecord[]> {
  const order = await trialOrderOf(reader.attempts());
  const trials: { readonly trial: TrialRecord; readonly index: number; readonly line: number }[] =
    [];
  for await (const trial of reader.trials()) {
    const evidence = await resolveRefs(trial.evidence, reader.dir, files);
    const line = trials.length;
    trials.push({
      trial: { ...trial, evidence },
      index: order(trial.taskId, trial.id) ?? line,
      line,
    });
  }
  return trials.sort((a, b) => a.index - b.index || a.line - b.line).map(({ trial }) => trial);
}

async function lineageOf(reader: BundleReader): Promise<Lineage> {
  const { target } = await reader.metadata();
  const parent = {
    relation: "rescored" as const,
    runId: reader.manifest.runId,
    target,
    bundleDigest: await reader.digest(),
    digests: digestsIn(await reader.provenance()),
  };
  return { parents: [parent], evidenceRoots: [reader.dir] };
}

function digestsIn(statement: JsonObject | null): JsonObject | null {
  const predicate = statement?.["predicate"];
  const digests = isPlainObject(predicate) ? predicate["digests"] : undefined;
  return isPlainObject(digests) ? (digests as JsonObject) : null;
}
