import assert from "node:assert/strict";

import type { Trial } from "../../contracts/runner.ts";
import { attemptSchema } from "../../schema/attempt.ts";
import { parseValue } from "../../schema/codec.ts";
import { trialErrorTypes, trialRecordSchema } from "../../schema/trial.ts";
import { isBelow } from "../../support/paths.ts";
import type { TestRunContext } from "../run-context.ts";
import type { ScenarioRun } from "./run-scenario.ts";

/** What is true of every trial, however it ended. */
export async function assertValidTrial(
  trial: Trial,
  { context, scenario }: Pick<ScenarioRun, "context" | "scenario">,
): Promise<void> {
  const { trialIndex: _index, attempts = [], scratchDirectory, ...record } = trial;
  const named = `trial "${trial.id}"`;
  parseValue(trialRecordSchema, record, { source: named });
  assert.equal(trial.metadata["agent_ok"], trial.status === "completed", `${named}: agent_ok`);
  assertErrorFits(trial, named, scenario.hasErrorTypesOfBackend === true);
  for (const { evidence, ...attempt } of attempts) {
    parseValue(attemptSchema, attempt, { source: `attempt of ${named}` });
    await assertEvidenceLies(evidence ?? null, named, context);
  }
  assert.ok(attempts.length <= context.limits.attemptsPerTrial, `${named}: too many attempts`);
  await assertEvidenceLies(trial.evidence, named, context);
  if (scratchDirectory !== undefined) {
    assert.ok(isBelow(context.scratch, scratchDirectory), `${named}: its scratch lies elsewhere`);
  }
}

function assertErrorFits({ status, error }: Trial, named: string, isOpen: boolean): void {
  if (status === "completed") {
    assert.equal(error, null, `${named} is completed, and yet has an error`);
    return;
  }
  assert.ok(error !== null, `${named} is ${status} without an error`);
  assert.ok(
    isOpen || trialErrorTypes.some((type) => type === error.type),
    `${named}: error type "${error.type}" is none of ${trialErrorTypes.join(", ")}`,
  );
  assert.notEqual(error.message ?? "", "", `${named}: its error has no message`);
}

async function assertEvidenceLies(
  evidence: Trial["evidence"],
  named: string,
  { scratch, files }: TestRunContext,
): Promise<void> {
  for (const [name, { ref }] of Object.entries(evidence?.descriptors ?? {})) {
    if (ref === null || /^[a-z][a-z0-9+.-]+:\/\//i.test(ref)) continue;
    const at = `${named}: evidence "${name}" (${ref})`;
    assert.ok(isBelow(scratch, ref), `${at} is no path below the scratch directory`);
    assert.notEqual(await files.stat(ref), null, `${at} is not there`);
  }
}
