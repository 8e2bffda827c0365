import { FakeClock } from "assay/testing";
import { describe, expect, it } from "vitest";

import { runTrials, startTrials } from "../../../../../test/support/run-trials.ts";
import { standInRunner } from "../../../../../test/support/stand-in-runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { ErrorCode } from "../../errors/codes.ts";
import type { AttemptContext } from "./attempt-context.ts";
import type { TrialDraft } from "./draft.ts";

const task = { id: "t", inputs: {} };

function runnerOf(run: (context: AttemptContext<unknown>) => Promise<TrialDraft>) {
  return standInRunner((_task, context) => run(context));
}

const broken = (code: ErrorCode = "ASSAY_CONNECTION_FAILED") => new AssayError(code, "broken");
/** No spread, so that the waits are whole. */
const random = { next: () => 0.5 };

describe("a fault of the infrastructure", () => {
  it.each<[ErrorCode, string]>([
    ["ASSAY_CONNECTION_FAILED", "ConnectionError"],
    ["ASSAY_RATE_LIMITED", "RateLimited"],
    ["ASSAY_PROCESS_SPAWN_FAILED", "ProcessSpawnError"],
  ])("%s makes a new attempt of the same trial, counted in the ledger", async (code, type) => {
    const clock = new FakeClock();
    const runner = runnerOf(async ({ attemptIndex, usage, phase }) => {
      usage.add({ promptTokens: 10, costUsd: 0.5 });
      phase("ask");
      await clock.sleep(100);
      if (attemptIndex === 0) throw broken(code);
      return { output: "5" };
    });
    const { trials } = await startTrials(runner, [task], { clock, random });
    for (const ms of [100, 500, 100]) {
      await clock.whenSleeping();
      await clock.advance(ms);
    }

    const [trial] = await trials;

    expect(trial).toMatchObject({
      id: "t:s",
      status: "completed",
      error: null,
      measurements: { promptTokens: 10 },
    });
    expect(trial?.attempts).toMatchObject([
      {
        cause: "infrastructure",
        fault: "infrastructure",
        errorType: type,
        promptTokens: 10,
        costUsd: 0.5,
        queueMs: 0,
        durationMs: 100,
      },
      {
        cause: "ended",
        fault: "none",
        errorType: null,
        promptTokens: 10,
        costUsd: 0.5,
        queueMs: 500,
        durationMs: 100,
      },
    ]);
    expect(trial?.attempts?.[0]?.phasesMs).toStrictEqual({ run: 0, ask: 100 });
    expect(trial?.attempts?.map(({ startedAt }) => startedAt)).toStrictEqual([
      "2026-01-01T00:00:00Z",
      "2026-01-01T00:00:00.600000Z",
    ]);
  });

  it("fails the trial when the attempts are used up", async () => {
    const clock = new FakeClock();
    const indexes: number[] = [];
    const runner = runnerOf(async ({ attemptIndex }) => {
      indexes.push(attemptIndex);
      throw broken();
    });
    const { trials } = await startTrials(runner, [task], {
      clock,
      random,
      limits: { attemptsPerTrial: 3 },
    });
    for (const ms of [500, 1000]) {
      await clock.whenSleeping();
      await clock.advance(ms);
    }

    expect(await trials).toMatchObject([
      { status: "failed", error: { type: "ConnectionError", message: "broken" } },
    ]);
    expect(indexes).toStrictEqual([0, 1, 2]);
    expect((await trials)[0]?.attempts).toHaveLength(3);
  });

  it.each<[string, unknown]>([
    ["an error of the runner itself", new TypeError("bug")],
    ["a full disk", broken("ASSAY_STORE_FAILED")],
    ["a missing tool", broken("ASSAY_TOOL_NOT_FOUND")],
    ["a bad seed", broken("ASSAY_SEED_INVALID")],
  ])("is not %s: that gets no second attempt", async (_what, thrown) => {
    let attempts = 0;
    const runner = runnerOf(async () => {
      attempts += 1;
      throw thrown;
    });

    const [trial] = await runTrials(runner, [task]);

    expect(trial).toMatchObject({ status: "failed" });
    expect(attempts).toBe(1);
  });

  it("is not what the agent did: that gets no second attempt", async () => {
    let attempts = 0;
    const runner = runnerOf(async () => {
      attempts += 1;
      return { output: null, error: { type: "AgentExitError", message: "exit 1" } };
    });

    expect(await runTrials(runner, [task])).toMatchObject([{ status: "partial" }]);
    expect(attempts).toBe(1);
  });

  it("gives each attempt a folder of its own, keeps the evidence of both, and names one scratch directory", async () => {
    const clock = new FakeClock();
    const runner = runnerOf(async ({ attemptIndex, workspace, files }) => {
      const { path } = await workspace();
      await files.writeAtomic(`${path}/made.txt`, String(attemptIndex));
      if (attemptIndex === 0) throw broken();
      return { output: "5" };
    });
    const { trials, context } = await startTrials(runner, [task], { clock, random });
    await clock.whenSleeping();
    await clock.advance(500);

    const [trial] = await trials;

    const refs = trial?.attempts?.map(
      ({ evidence }) => evidence?.descriptors["final_state"]?.ref ?? "",
    );
    expect(new Set(refs).size).toBe(2);
    const texts = await Promise.all(
      (refs ?? []).map((ref) => context.files.readText(`${ref}/made.txt`)),
    );
    expect(texts).toStrictEqual(["0", "1"]);
    expect(trial?.evidence?.descriptors["final_state"]?.ref).toBe(refs?.[1]);
    for (const ref of refs ?? []) expect(ref.startsWith(`${trial?.scratchDirectory}/`)).toBe(true);
  });

  it("names the scratch directory also when only an earlier attempt used one", async () => {
    const clock = new FakeClock();
    const runner = runnerOf(async ({ attemptIndex, directory }) => {
      if (attemptIndex > 0) return { output: "5" };
      await directory();
      throw broken();
    });
    const { trials, context } = await startTrials(runner, [task], { clock, random });
    await clock.whenSleeping();
    await clock.advance(500);

    expect((await trials)[0]?.scratchDirectory).toBe(`${context.scratch}/000000-t/trial-0`);
  });

  it("waits no longer when the run is cancelled, and gives no row", async () => {
    const clock = new FakeClock();
    const { trials, cancel } = await startTrials(
      runnerOf(async () => {
        throw broken();
      }),
      [task],
      { clock, random },
    );
    await clock.whenSleeping();

    cancel();

    expect(await trials).toStrictEqual([]);
  });

  it("spreads the waits, so that trials that failed together do not come back together", async () => {
    const clock = new FakeClock();
    const draws = [0, 0.999];
    const starts: number[] = [];
    const runner = runnerOf(async ({ attemptIndex }) => {
      if (attemptIndex === 0) throw broken();
      starts.push(clock.monotonicMs());
      return { output: "5" };
    });
    const { trials } = await startTrials(runner, [task, { id: "u", inputs: {} }], {
      clock,
      random: { next: () => draws.shift() ?? 0 },
    });
    await clock.whenSleeping(2);
    await clock.advance(1000);
    await trials;

    expect(starts).toStrictEqual([250, 749.5]);
  });
});
