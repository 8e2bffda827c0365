import assert from "node:assert/strict";
import path from "node:path";

import type { Redactor } from "../../contracts/redactor.ts";
import type { Trial } from "../../contracts/runner.ts";
import { createRedactor } from "../../provenance/redaction/redactor.ts";
import { formatRow, type JsonValue, parseJson } from "../../support/json.ts";
import { type ConformanceCheck, checkIn } from "./check.ts";
import {
  assertNothingLeft,
  graderCanary,
  produceAll,
  type ScenarioRun,
  withScenario,
} from "./run-scenario.ts";
import type { RunnerScenario, RunnerScenarios, SecretScenario } from "./subject.ts";

/** What must not get where. */
export function secrecyChecks({
  success,
  secretEcho,
}: RunnerScenarios): readonly ConformanceCheck[] {
  return [
    checkIn(success, "shows intent and reference to no agent", checkGraderOnly),
    checkIn(
      secretEcho,
      "gives secrets to no argv, and only in forms that are removed",
      checkSecrets,
    ),
  ];
}

async function checkGraderOnly(scenario: RunnerScenario): Promise<void> {
  await withScenario(scenario, { trialIndexes: [0] }, async (run) => {
    const trials = await produceAll(run);
    const { requests } = run;
    const given = requests.map(({ argv, env, stdin }) => {
      // Chunks can be read but once, and are those of files that are looked at below.
      return { argv, env, stdin: typeof stdin === "string" ? stdin : null };
    });
    assertAbsent(graderCanary, "what a process was given", formatRow(given));
    assertAbsent(graderCanary, "a trial", formatRow(trials));
    for await (const [place, bytes] of stored(run)) assertAbsent(graderCanary, place, bytes);
  });
}

async function checkSecrets(scenario: SecretScenario): Promise<void> {
  const secrets = Object.entries(scenario.secrets).map(([name, value]) => ({ name, value }));
  await withScenario(scenario, { trialIndexes: [0] }, async (run) => {
    const redactor = createRedactor({ secrets });
    const trials = await produceAll(run);
    for (const { value } of secrets) {
      for (const { argv } of run.requests) assertNoSecret(value, "an argv", formatRow(argv));
      assertNoSecret(value, "runnerInfo", formatRow(run.runner.runnerInfo()));
      assertNoSecret(value, "a trial", formatRow(trials.map((trial) => redacted(trial, redactor))));
      for await (const [place, bytes] of stored(run)) {
        const named = redactor.text(place);
        assertNoSecret(value, `the name ${named}`, named);
        assertNoSecret(value, named, redactedBytes(bytes, redactor));
      }
    }
    await assertNothingLeft(run);
  });
}

function redacted(trial: Trial, redactor: Redactor): JsonValue {
  return redactor.json(parseJson(formatRow(trial), "trial") as JsonValue);
}

function redactedBytes(bytes: Buffer, redactor: Redactor): Buffer {
  const stream = redactor.stream();
  return Buffer.concat([stream.push(bytes), stream.end()]);
}

/** Every file below the scratch directory, by its path there. */
async function* stored({
  context: { files, scratch },
}: ScenarioRun): AsyncGenerator<readonly [string, Buffer]> {
  for await (const entry of files.walk(scratch)) {
    if (entry.kind !== "file") continue;
    yield [entry.path, Buffer.from(await files.readBytes(path.join(scratch, entry.path)))];
  }
}

function assertAbsent(text: string, place: string, content: string | Buffer): void {
  assert.ok(!content.includes(text), `${place} holds ${text}`);
}

/** Looks for a secret as it is and in the encodings in which one is often passed on. */
function assertNoSecret(secret: string, place: string, content: string | Buffer): void {
  const bytes = Buffer.from(secret);
  const forms = [secret, bytes.toString("hex"), encodeURIComponent(secret), ...base64Forms(bytes)];
  for (const form of forms) assert.ok(!content.includes(form), `${place} holds a secret`);
}

/** The characters that belong to these bytes alone, wherever among others they stand. */
function base64Forms(bytes: Buffer): readonly string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
}
