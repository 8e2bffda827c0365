import { describe, expect, it } from "vitest";

import type { CommandResult } from "../../contracts/evidence.ts";
import { tailOf, verdictOf } from "./compute.ts";

describe("verdictOf", () => {
  const result = (more: Partial<CommandResult> = {}): CommandResult => ({
    exitCode: 0,
    stdout: "",
    stderr: "",
    isTimedOut: false,
    spawnError: null,
    spawnErrorCode: null,
    isOk: true,
    collected: {},
    uncollectable: [],
    ...more,
  });

  it.each([
    ["1", 1],
    [" 0.5\n", 0.5],
    ["-1e-2", -0.01],
    [".5", 0.5],
  ])("reads %j in reward.txt as %d", (text, reward) => {
    expect(verdictOf(result(), { json: "", text }, "reward")).toMatchObject({
      reward,
      source: "reward.txt",
    });
  });

  it.each(["high", "NaN", "Infinity", "1e999", "0x10", "1 2"])(
    "takes %j in reward.txt for no reward",
    (text) => {
      expect(verdictOf(result(), { json: "", text }, "reward")).toMatchObject({
        reward: 0,
        problem: `reward.txt holds "${text}", not a number`,
      });
    },
  );

  it.each<[string, string, number]>([
    ['{"reward": 1}', "reward", 1],
    ['{"reward": 1, "style": 0.5}', "style", 0.5],
    ["0.5", "style", 0.5],
    ['{"constructor": 1}', "constructor", 1],
    ['{"__proto__": 1}', "__proto__", 1],
  ])("reads %s with the key %s as %d", (json, key, reward) => {
    expect(verdictOf(result(), { json, text: "0" }, key)).toMatchObject({
      reward,
      source: "reward.json",
    });
  });

  it.each([
    ["{oops", 'reward.json holds "{oops", which is not JSON'],
    ["[1]", "reward.json holds an array"],
    ['"1"', "reward.json holds a string"],
    ["{}", 'gives no usable "reward"'],
    ['{"style": 1}', 'gives no usable "reward" (it has style)'],
    ['{"reward": true}', "(refused: reward: boolean)"],
    ['{"reward": "1"}', "(refused: reward: non_numeric)"],
    ['{"reward": 1e999}', "(refused: reward: non_finite)"],
    ['{"reward": null}', "(refused: reward: non_numeric)"],
    ['{"reward\\n": 1}', "invalid_key"],
  ])("takes %s for no reward", (json, problem) => {
    expect(verdictOf(result(), { json, text: "1" }, "reward")).toMatchObject({
      reward: 0,
      source: "nothing",
      problem: expect.stringContaining(problem) as string,
    });
  });

  it("does not find a reward that objects inherit", () => {
    const files = { json: '{"a": 1}', text: "" };

    expect(verdictOf(result(), files, "constructor").problem).toContain("no usable");
  });
});

describe("tailOf", () => {
  it("cuts at a whole character", () => {
    const tail = tailOf(`${"é".repeat(2000)}x`);

    expect(Buffer.byteLength(tail)).toBe(2047);
    expect(tail).toMatch(/^é+x$/);
  });

  it("keeps short text as it is", () => {
    expect(tailOf("short é")).toBe("short é");
  });
});
