import type { RunContext } from "../../contracts/runner.ts";
import type { PreparedRun } from "../run-state.ts";
import { suiteProcessOf } from "../suite/suite-process.ts";

export const trialGraceMs = 5000;
const evidenceFileBytes = 64 * 1024 * 1024;

/** What a runner gets of a run. */
export function runContextOf(
  { runId, scratch, suite, concurrency, log, secrets, redactor, platform, ...run }: PreparedRun,
  own: Pick<RunContext, "signal" | "closing" | "onAttemptEnd" | "onLostAttempts">,
): RunContext {
  return {
    ...own,
    runId,
    scratch,
    baseDir: suite.baseDir,
    concurrency,
    limits: { attemptsPerTrial: 2, graceMs: trialGraceMs, evidenceFileBytes },
    log,
    secrets,
    redact: redactor.text,
    process: run.process,
    sandboxes: run.sandboxes,
    files: platform.files,
    clock: platform.clock,
    random: platform.random,
    ...suiteProcessOf(suite, platform),
  };
}
