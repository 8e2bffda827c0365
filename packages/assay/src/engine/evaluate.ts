import type { Sign } from "../bundle/stored-documents.ts";
import { createRedactor } from "../provenance/redaction/redactor.ts";
import { signedEnvelope } from "../provenance/signing/envelope.ts";
import type { SigningKey } from "../provenance/signing/keys.ts";
import { RunSandboxes } from "../sandbox/run-sandboxes.ts";
import { newRunId, newToken } from "../support/ids.ts";
import type { EvalResult, PlanPreview, RunOptions } from "./api.ts";
import { refuseOutput } from "./directory.ts";
import { finishRun } from "./finish/finish.ts";
import { releaseRun } from "./finish/release.ts";
import { readSigningKey } from "./keys.ts";
import { noLineage } from "./lineage.ts";
import { momentOf } from "./moment.ts";
import { openSession, releaseSession } from "./open-session.ts";
import { type Draft, draftRun } from "./plan/draft.ts";
import { prepareRun, previewOf } from "./plan/prepare.ts";
import { runSecrets } from "./plan/run-secrets.ts";
import type { Platform } from "./platform.ts";
import { redactedError } from "./redact-error.ts";
import { readResult } from "./results/read-result.ts";
import { acceptDifferences, comparePlans, storedForm } from "./resume/compare-plans.ts";
import { assertConsistent, assertKnown } from "./resume/earlier-seal.ts";
import { type StoredRun, storedRun } from "./resume/stored-run.ts";
import type { PreparedRun } from "./run-state.ts";
import type { Session } from "./session.ts";
import type { Suite } from "./suite/suite.ts";
import { execute } from "./trials/execute.ts";

export interface Evaluation {
  readonly suite: Suite;
  readonly options: RunOptions;
  readonly platform: Platform;
}

/**
 * Runs a suite: everything is validated before anything is spent, each trial is journalled as it ends and scored from
 * then on, and the run directory is a whole bundle whatever ended the run. A run that is resumed goes the same way with
 * what is left of its plan.
 */
export async function runEvaluation(evaluation: Evaluation): Promise<EvalResult> {
  const { suite, options, platform } = evaluation;
  const lineage = suite.importedFrom?.lineage ?? noLineage;
  const { draft, stored } = await draftOf(evaluation);
  const signKey = await signKeyOf(evaluation);
  const sign = signKey === null ? null : (bytes: Uint8Array) => signedEnvelope(bytes, signKey);
  const prepared = { ...evaluation, signKey };
  const { run, result } = await withPreparedRun(prepared, draft, async (run) => {
    if (stored !== null)
      await assertKnown(stored.reader, options, { signKey, files: platform.files });
    const started = momentOf(platform.clock);
    const session = await openSession(run, { stored, started, lineage, options });
    try {
      if (session.earlier?.isWhole === true) {
        if (sign !== null) await signEarlier(session, sign, platform);
        return { run, result: await readResult(session.door.dir, platform) };
      }
      if (sign === null && typeof stored?.reader.manifest.signatureSha256 === "string")
        run.emit({ type: "warning", message: signatureGone });
      const signal = options.signal ?? neverAborted;
      const execution = await execute(run, session, { signal, limits: options });
      const isNew = session.earlier === null;
      const end = { run, session, execution, started, lineage, options, sign: isNew ? sign : null };
      const result = await finishRun(end);
      if (!isNew && sign !== null) await signEarlier(session, sign, platform);
      return { run, result };
    } finally {
      await releaseSession(session, run);
    }
  });
  run.emit({ type: "run-end", status: result.status });
  return result;
}

/** Everything `runEvaluation` checks before the first trial, and the plan; nothing is run or kept. */
export async function previewEvaluation(evaluation: Evaluation): Promise<PlanPreview> {
  const { options } = evaluation;
  const { draft, stored } = await draftOf(evaluation);
  const signKey = await signKeyOf(evaluation);
  return await withPreparedRun({ ...evaluation, signKey }, draft, async (run) => {
    if (stored !== null) {
      await assertKnown(stored.reader, options, { signKey, files: evaluation.platform.files });
      const place = { allowDrift: options.allowDrift ?? false, dir: stored.reader.dir };
      acceptDifferences(comparePlans(stored.plan, storedForm(run)), place);
    }
    return previewOf(draft, run);
  });
}

/** Rows that an earlier start wrote are signed when all records agree, and not before. */
async function signEarlier({ door }: Session, sign: Sign, platform: Platform): Promise<void> {
  await assertConsistent(door.dir, platform);
  await door.signAgain(sign);
}

const signatureGone =
  "the run was signed when it ended before, and that signature is gone: it was of another statement";

/** A key that cannot sign is told before anything is run. */
async function signKeyOf({ options, platform }: Evaluation): Promise<SigningKey | null> {
  const { signKeyFile } = options;
  return signKeyFile === undefined ? null : await readSigningKey(signKeyFile, platform);
}

async function draftOf(evaluation: Evaluation): Promise<{
  readonly draft: Draft;
  readonly stored: StoredRun | null;
}> {
  const { options, platform } = evaluation;
  const stored = options.resume === true ? await storedRun(options, platform) : null;
  const draft = draftRun({ ...evaluation, stored: stored?.plan ?? null });
  if (stored === null) await refuseOutput(options, platform);
  return { draft, stored };
}

/** Prepares a run with a private scratch directory, which is removed at the end. No secret leaves in what is thrown. */
async function withPreparedRun<T>(
  evaluation: Evaluation & { readonly signKey: SigningKey | null },
  draft: Draft,
  work: (run: PreparedRun) => Promise<T>,
): Promise<T> {
  const { suite, options, platform, signKey } = evaluation;
  const token = newToken();
  const runId = draft.stored?.runId ?? options.runId ?? newRunId(platform.clock.now());
  const { declared, known } = runSecrets(suite.secrets, platform.env);
  const secrets = { declared, known: [...known, ...(signKey?.secrets ?? [])] };
  const scratch = await platform.createScratch({ token, runId });
  const sandboxes = new RunSandboxes({
    ...platform,
    process: platform.process(token),
    scratch: scratch.path,
    runId,
    token,
  });
  const surroundings = {
    sandboxes,
    runId,
    invocationId: newToken(),
    token,
    scratch: scratch.path,
    signal: options.signal ?? neverAborted,
    secrets,
    redactor: createRedactor({ secrets: secrets.known }),
  };
  let run: PreparedRun | null = null;
  try {
    run = await prepareRun(draft, evaluation, surroundings);
    return await work(run);
  } catch (thrown) {
    throw redactedError(thrown, (run ?? surroundings).redactor);
  } finally {
    await releaseRun({ runner: draft.target.runner, run, token, scratch, sandboxes, platform });
  }
}

const neverAborted = new AbortController().signal;
