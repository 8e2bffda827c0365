import { describe, expect, it } from "vitest";

import { newRunId, newToken, trialIdOf } from "../../packages/assay/src/support/ids.ts";

describe("ids", () => {
  it("a run id holds the second it was made in, and two of one second differ", () => {
    const now = new Date("2026-07-31T11:46:40.999Z");

    expect(newRunId(now)).toMatch(/^agent-eval-20260731114640-[0-9a-f]{8}$/);
    expect(newRunId(now)).not.toBe(newRunId(now));
  });

  it.each([
    ["t1", "trial", 0, "t1:trial"],
    ["t1", "trial", 1, "t1:trial:1"],
    ["a:b", "codex", 12, "a:b:codex:12"],
  ])(
    "the trial of %s, %s, %i is %s, so that more trials rename nothing",
    (taskId, suffix, index, id) => {
      expect(trialIdOf(taskId, suffix, index)).toBe(id);
    },
  );

  it("a token is 128 random bits", () => {
    expect(newToken()).toMatch(/^[0-9a-f]{32}$/);
    expect(newToken()).not.toBe(newToken());
  });
});
