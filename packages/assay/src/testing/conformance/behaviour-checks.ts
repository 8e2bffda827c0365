import assert from "node:assert/strict";

import type { Trial } from "../../contracts/runner.ts";
import { AssayError, describeThrown } from "../../errors/assay-error.ts";
import { formatRow } from "../../support/json.ts";
import { type ConformanceCheck, checkIn } from "./check.ts";
import { assertValidTrial } from "./check-trial.ts";
import {
  assertNothingLeft,
  prepare,
  produceAll,
  type ScenarioRun,
  withScenario,
} from "./run-scenario.ts";
import type {
  CancelScenario,
  HugeOutputScenario,
  RunnerScenario,
  RunnerScenarios,
} from "./subject.ts";

const defaultMaxBytes = 80 * 1024 * 1024;

/** What the runner does when all goes well, and when it does not. */
export function behaviourChecks(
  scenarios: RunnerScenarios,
  idsOfBackend?: string,
): readonly ConformanceCheck[] {
  const { success, badExit, timeout, cancel } = scenarios;
  const { hugeOutput, malformedOutput, missingTool } = scenarios;
  return [
    checkIn(success, "yields exactly the planned trials, once each, all completed", checkSuccess),
    checkIn(
      idsOfBackend === undefined ? success : { skip: idsOfBackend },
      "gives a trial the same id whichever others are planned",
      checkResume,
    ),
    checkIn(success, "starts nothing when it is cancelled before it begins", checkCancelledBefore),
    checkIn(success, "may be disposed of twice", checkDispose),
    checkIn(
      badExit,
      "records an agent that ends badly as partial, with a typed error",
      checkBadExit,
    ),
    checkIn(timeout, "ends a trial at its time limit, with all its processes", checkTimeout),
    checkIn(cancel, "yields no row for a cancelled trial and leaves nothing alive", checkCancel),
    checkIn(hugeOutput, "keeps a bounded part of huge output and says so", checkHugeOutput),
    checkIn(malformedOutput, "survives output that cannot be understood", checkMalformed),
    checkIn(missingTool, "finds a missing tool before anything is run", checkMissingTool),
  ];
}

async function checkSuccess(scenario: RunnerScenario): Promise<void> {
  await withScenario(scenario, { trialIndexes: [0, 1, 2] }, async (run) => {
    const before = formatRow(run.runner.runnerInfo());
    const trials = await produceAll(run);
    for (const trial of trials) {
      const told = formatRow({ error: trial.error, output: trial.output });
      assert.equal(trial.status, "completed", `trial "${trial.id}" is ${trial.status}: ${told}`);
      await assertValidTrial(trial, run);
    }
    const ids = new Set(trials.map(({ taskId, id }) => formatRow([taskId, id])));
    assert.equal(ids.size, trials.length, "two trials of one task have the same id");
    assert.equal(formatRow(run.runner.runnerInfo()), before, "runnerInfo changed during the run");
    await assertNothingLeft(run);
  });
}

async function checkResume(scenario: RunnerScenario): Promise<void> {
  const all = new Map<string, string>();
  await withScenario(scenario, { trialIndexes: [0, 1, 2] }, async (run) => {
    for (const { taskId, trialIndex, id } of await produceAll(run)) {
      all.set(formatRow([taskId, trialIndex]), id);
    }
    const [first] = run.plan.tasks;
    assert.ok(first !== undefined, "the scenario has no task");
    const rest = { tasks: [{ ...first, trialIndexes: [2] }], trialsPerTask: 3, trialCount: 1 };
    const [trial] = await produceAll({ ...run, plan: rest });
    assert.equal(trial?.id, all.get(formatRow([trial?.taskId, 2])));
  });
}

async function checkCancelledBefore(scenario: RunnerScenario): Promise<void> {
  await withScenario(scenario, {}, async (run) => {
    await prepare(run);
    const asked = run.requests.length;
    run.cancel();
    assert.deepEqual(await drain(run), []);
    assert.equal(run.requests.length, asked, "a process was started");
  });
}

async function checkDispose(scenario: RunnerScenario): Promise<void> {
  await withScenario(scenario, { trialIndexes: [0] }, async (run) => {
    await produceAll(run);
    await run.runner.dispose?.();
    await run.runner.dispose?.();
    await assertNothingLeft(run);
  });
}

async function checkBadExit(scenario: RunnerScenario): Promise<void> {
  await withScenario(scenario, {}, async (run) => {
    for (const trial of await produceAll(run)) {
      assert.equal(trial.status, "partial", `trial "${trial.id}" is ${trial.status}`);
      await assertValidTrial(trial, run);
    }
    await assertNothingLeft(run);
  });
}

async function checkTimeout(scenario: RunnerScenario): Promise<void> {
  await withScenario(scenario, { trialIndexes: [0] }, async (run) => {
    for (const trial of await produceAll(run)) {
      assert.equal(trial.status, "partial", `trial "${trial.id}" is ${trial.status}`);
      assert.equal(trial.error?.type, "TimeoutError");
      await assertValidTrial(trial, run);
    }
    await assertNothingLeft(run);
  });
}

async function checkCancel(scenario: CancelScenario): Promise<void> {
  await withScenario(scenario, { trialIndexes: [0, 1, 2] }, async (run) => {
    await prepare(run);
    const started = scenario.started?.() ?? run.nextLine();
    const draining = drain(run);
    await Promise.race([
      started,
      draining.then(() => assert.fail("the run ended before it was cancelled")),
    ]);
    const cancelledMs = run.context.clock.monotonicMs();
    run.cancel();
    const rows = (await draining).map(({ id }) => id);
    assert.deepEqual(rows, [], "rows of cancelled trials");
    const tookMs = run.context.clock.monotonicMs() - cancelledMs;
    const allowedMs = run.context.limits.graceMs * 2 + 5000;
    assert.ok(tookMs < allowedMs, `it ended ${Math.round(tookMs)} ms after it was cancelled`);
    await assertNothingLeft(run);
  });
}

async function checkHugeOutput(scenario: HugeOutputScenario): Promise<void> {
  await withScenario(scenario, { trialIndexes: [0] }, async (run) => {
    const trials = await produceAll(run);
    for (const trial of trials) await assertValidTrial(trial, run);
    const allowed = (scenario.maxBytes ?? defaultMaxBytes) * trials.length;
    const kept = formatRow(trials).length + (await sizeOf(run));
    assert.ok(kept <= allowed, `${kept} bytes were kept, and ${allowed} are allowed`);
    for (const trial of trials) {
      const said = formatRow({ ...trial, output: trial.output?.metadata ?? null });
      assert.match(said, /"[a-z_]*truncated[a-z_]*":(true|[1-9]|")/i, "nothing says truncated");
    }
  });
}

async function checkMalformed(scenario: RunnerScenario): Promise<void> {
  await withScenario(scenario, {}, async (run) => {
    for (const trial of await produceAll(run)) {
      const told = `trial "${trial.id}" is completed: ${formatRow(trial.output)}`;
      assert.notEqual(trial.status, "completed", told);
      await assertValidTrial(trial, run);
    }
    await assertNothingLeft(run);
  });
}

async function checkMissingTool(scenario: RunnerScenario): Promise<void> {
  await withScenario(scenario, {}, async (run) => {
    const problem = await prepare(run).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(problem !== null, "probe found nothing wrong");
    assert.ok(
      AssayError.isInstance(problem) && problem.fault === "environment",
      `probe must throw an AssayError whose fault is "environment", not ${describeThrown(problem)}`,
    );
    await assertNothingLeft(run);
  });
}

async function drain({ runner, plan, context }: ScenarioRun): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  for await (const trial of runner.runTasks(plan, context)) trials.push(trial);
  return trials;
}

async function sizeOf({ context: { files, scratch } }: ScenarioRun): Promise<number> {
  let sizeBytes = 0;
  for await (const entry of files.walk(scratch)) sizeBytes += entry.sizeBytes;
  return sizeBytes;
}
