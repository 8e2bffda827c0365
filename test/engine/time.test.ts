import { callable } from "assay/runners";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../packages/assay/src/contracts/clock.ts";
import { systemClock } from "../../packages/assay/src/platform/clock.ts";
import { runWithClock, storedDocument, storedRows, tasks } from "./run-kit.ts";

const agent = callable({
  name: "agent",
  agent: async (_task, { step }) => {
    step({ message: "thinking" });
    await new Promise((resolve) => setImmediate(resolve));
    return "yes";
  },
});

/** A wall clock that goes an hour back at every look, beside a monotonic one that does not. */
function backwards(): Clock {
  let looks = 0;
  return {
    ...systemClock,
    now: () => {
      looks += 1;
      return new Date(Date.UTC(2026, 5, 15, 12) - looks * 3_600_000);
    },
  };
}

const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

describe("durations", () => {
  it("are monotonic: a wall clock that goes backwards makes none negative", async () => {
    const { workDir, result, events } = await runWithClock(backwards(), agent, { tasks: tasks(3) });

    expect(result.metadata.durationSec).toBeGreaterThan(0);
    for (const row of storedRows(workDir, "attempts.jsonl")) {
      expect(row["duration_ms"]).toBeGreaterThanOrEqual(0);
      expect(row["queue_ms"]).toBeGreaterThanOrEqual(0);
    }
    for (const { measurements } of await result.trials.toArray())
      expect(measurements.runtimeSec).toBeGreaterThanOrEqual(0);
    for (const event of events)
      if (event.type === "trial-end") expect(event.durationMs).toBeGreaterThanOrEqual(0);
  });

  it("of the run agree with its stamps when the clocks agree", async () => {
    const { result } = await runWithClock(systemClock, agent, { tasks: tasks(3) });

    const { startedAt, finishedAt, durationSec } = result.metadata;
    const stamped = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
    expect(Math.abs(stamped - durationSec)).toBeLessThan(0.1);
  });
});

describe("stamps", () => {
  it("are UTC everywhere", async () => {
    const { workDir, result } = await runWithClock(systemClock, agent, { tasks: tasks(2) });

    expect(result.metadata.startedAt).toMatch(utc);
    expect(result.metadata.finishedAt).toMatch(utc);
    expect(storedDocument(workDir, "run.json")["updated_at"]).toMatch(utc);
    for (const row of storedRows(workDir, "attempts.jsonl")) expect(row["started_at"]).toMatch(utc);
  });
});
