import { describe, expect, it } from "vitest";

import { systemClock } from "../../platform/clock.ts";
import { parseJson } from "../../support/json.ts";
import { AttemptLog } from "./attempt-log.ts";
import { TrajectoryRecorder } from "./trajectory.ts";

const mebibyte = 1024 * 1024;
const session = { id: "one", agent: "large", version: null };

interface Line {
  readonly level: string;
  readonly message: string;
}

function linesOf(log: AttemptLog): Line[] {
  const lines = log.format().trimEnd().split("\n");
  return lines.map((line) => parseJson(line, "log") as Line);
}

describe("the log of an agent", () => {
  it("keeps 32 MiB of lines, and says how many more there were", () => {
    const log = new AttemptLog(systemClock);
    for (let index = 0; index < 100; index += 1) log.logger().info("€".repeat(mebibyte / 3));

    const lines = linesOf(log);

    expect(Buffer.byteLength(log.format())).toBeLessThan(33 * mebibyte);
    expect(lines.length).toBe(32);
    expect(lines.at(-1)).toMatchObject({ level: "warn", message: "69 more lines" });
  });

  it("keeps 100,000 lines", () => {
    const log = new AttemptLog(systemClock);
    for (let index = 0; index < 100_002; index += 1) log.logger().info("on");

    expect(linesOf(log).at(-1)?.message).toBe("2 more lines");
  });

  it("cuts a long message, and never fails by one", () => {
    const log = new AttemptLog(systemClock);
    log.logger().info("x".repeat(200 * mebibyte), { large: 1n });

    expect(linesOf(log)).toMatchObject([{ message: `${"x".repeat(mebibyte)}…` }]);
  });
});

describe("a trajectory", () => {
  it("keeps 32 MiB of steps, and counts those that do not fit in", () => {
    const trajectory = new TrajectoryRecorder();
    for (let index = 0; index < 40; index += 1)
      trajectory.add({ message: "x".repeat(mebibyte) }, "");
    trajectory.add({ message: "the last" }, "");

    const document = parseJson(trajectory.format(session), "trajectory") as {
      readonly extra: unknown;
      readonly steps: readonly { readonly step_id: number; readonly message: string }[];
    };

    expect(document.extra).toEqual({ dropped_steps: 9 });
    expect(document.steps.at(-1)).toMatchObject({ step_id: 32, message: "the last" });
  });

  it("is there when its only step does not fit in", () => {
    const trajectory = new TrajectoryRecorder();
    trajectory.add({ message: "x".repeat(33 * mebibyte) }, "");

    expect(trajectory.isEmpty).toBe(false);
    expect(parseJson(trajectory.format(session), "trajectory")).toMatchObject({
      steps: [{ step_id: 1, source: "system", message: expect.stringContaining("too large") }],
      final_metrics: { total_steps: 1 },
      extra: { dropped_steps: 1 },
    });
  });
});
