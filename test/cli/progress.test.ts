import type { RunEvent } from "assay";
import { describe, expect, it } from "vitest";
import { createProgress } from "../../packages/assay/src/cli/progress/progress.ts";
import {
  formatSeconds,
  statusLine,
  trialLine,
} from "../../packages/assay/src/cli/progress/progress-text.ts";
import { FakeIo } from "./fake-io.ts";

const start = (trialCount: number): RunEvent => ({
  type: "run-start",
  runId: "r",
  taskCount: 1,
  trialCount,
  earlierTrialCount: 0,
  scoreCount: trialCount,
  concurrency: 1,
  target: { name: "stand_in", kind: "runner", version: null, config: {} },
  workDir: "/w",
});
const end = (
  index: number,
  status: "completed" | "partial" | "failed" = "completed",
): RunEvent => ({
  type: "trial-end",
  trialId: `t${index}`,
  taskId: "t",
  status,
  errorType: status === "completed" ? null : "TimeoutError",
  durationMs: 1234,
});

describe("durations", () => {
  it.each([
    [0, "0.0 s"],
    [1.25, "1.3 s"],
    [9.96, "10 s"],
    [59.4, "59 s"],
    [59.96, "1 min 0 s"],
    [119.7, "2 min 0 s"],
    [3599.7, "1 h 0 min"],
    [7199.9, "2 h 0 min"],
    [11_400, "3 h 10 min"],
  ])("%s s is shown as %s, never with a part of 60", (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text);
  });
});

describe("the status line", () => {
  it.each([
    [{ total: 60, done: 0, partial: 0, failed: 0, failedMetrics: 0 }, 0, "0/60 trials"],
    [
      { total: 60, done: 12, partial: 2, failed: 1, failedMetrics: 3 },
      4000,
      "12/60 trials, 2 partial, 1 failed, 3 metric failures, 3.0/s, about 16 s left",
    ],
    [
      { total: 4, done: 1, partial: 0, failed: 0, failedMetrics: 0 },
      60_000,
      "1/4 trials, 1.0/min, about 3 min 0 s left",
    ],
    [
      { total: 500, done: 500, partial: 0, failed: 0, failedMetrics: 0 },
      1000,
      "500/500 trials, 500/s",
    ],
  ])("%o after %d ms", (counts, elapsedMs, text) => {
    expect(statusLine(counts, elapsedMs)).toBe(text);
  });

  it("shows ids and types of others without their control characters", () => {
    const line = trialLine({
      ...end(1, "partial"),
      trialId: "a\u001b[2J\nb",
      errorType: "X\u202e",
    } as never);

    expect(line).toBe("a\\x1b[2J\\nb partial (X\\u202e) in 1.2 s");
  });
});

describe("progress without a terminal", () => {
  it("has a line for each trial of a small run", async () => {
    const io = new FakeIo();
    const progress = await createProgress(io);
    for (const event of [
      start(2),
      end(1),
      end(2, "failed"),
      { type: "run-end", status: "completed" } as const,
    ])
      progress.onEvent(event);
    progress.close();

    expect(io.err.split("\n")).toEqual([
      "run r: 1 task, 2 trials, target stand_in",
      "t1 completed in 1.2 s",
      "t2 failed (TimeoutError) in 1.2 s",
      "",
    ]);
    expect(io.out).toBe("");
  });

  it("has at most a line a second for a big run, and one for each failure", async () => {
    const io = new FakeIo();
    const progress = await createProgress(io);
    progress.onEvent(start(1000));
    for (let index = 0; index < 1000; index += 1) {
      io.nowMs += 10;
      progress.onEvent(end(index, index === 500 ? "partial" : "completed"));
    }
    progress.close();

    const lines = io.err.trimEnd().split("\n");
    expect(lines).toHaveLength(1 + 10 + 1 + 1);
    expect(lines).toContain("t500 partial (TimeoutError) in 1.2 s");
    expect(lines.at(-1)).toBe("1000/1000 trials, 1 partial, 100/s");
  });

  it("names fifty failures and counts the rest", async () => {
    const io = new FakeIo();
    const progress = await createProgress(io);
    progress.onEvent(start(5000));
    for (let index = 0; index < 5000; index += 1) progress.onEvent(end(index, "failed"));
    progress.close();

    const lines = io.err.trimEnd().split("\n");
    expect(lines.slice(50)).toEqual([
      "t49 failed (TimeoutError) in 1.2 s",
      "further ones are only counted",
      "5000/5000 trials, 5000 failed, 0.0/s",
    ]);
  });
});
