import { describe, expect, it } from "vitest";

import { failureText, readRollout, rewardDetails, rewardOf } from "./rollout.ts";

const source = "rollouts.jsonl:7";

describe("a row of a rollouts file", () => {
  it("tells its place", () => {
    expect(
      readRollout('{"_ng_task_index":1,"_ng_rollout_index":0,"reward":1}', source),
    ).toStrictEqual({
      tooDeep: [],
      notFinite: [],
      taskIndex: 1,
      rolloutIndex: 0,
      fields: { _ng_task_index: 1, _ng_rollout_index: 0, reward: 1 },
    });
  });

  it.each(["null", "-1", "1.5", '"1"', "true"])("has no place by an index of %s", (index) => {
    expect(readRollout(`{"_ng_task_index":${index}}`, source)).toMatchObject({
      taskIndex: null,
      rolloutIndex: null,
    });
  });

  it("may hold the numbers that Python writes and JSON does not know, as text that is told from text", () => {
    const line =
      '{"reward": NaN, "text": "NaN", "low": -Infinity, "a": [Infinity, -Infinity], "b": "NaN \\" NaN", "NaN": 1}';

    const { fields, notFinite } = readRollout(line, source);

    expect(notFinite).toStrictEqual(["reward", "low"]);
    expect(fields).toStrictEqual({
      reward: "NaN",
      text: "NaN",
      low: "-Infinity",
      a: ["Infinity", "-Infinity"],
      b: 'NaN " NaN',
      NaN: 1,
    });
  });

  it("may begin with the mark of UTF-8, and loses no more than the field that is nested too deep", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const row = readRollout(`\uFEFF{"response": ${deep}, "reward": 1}`, source);
    expect(row).toMatchObject({ fields: { response: null, reward: 1 }, tooDeep: ["response"] });
  });

  it.each(['{"reward": 1', "[]", "3", "", '{"reward": nan}'])(
    "is refused with its place when it is %j",
    (line) => {
      expect(() => readRollout(line, source)).toThrow(source);
    },
  );
});

// The rows of the specification (runners §7.c, §7.f).
describe("a reward", () => {
  it.each<[string, number | null]>([
    ['{"reward": 1.0}', 1],
    ['{"reward": 0}', 0],
    ['{"reward": -1}', -1],
    ['{"reward": "1"}', null],
    ['{"reward": true}', null],
    ['{"reward": null}', null],
    ['{"reward": NaN}', null],
    ['{"reward": [1]}', null],
    ["{}", null],
  ])("of %s is %j", (line, reward) => {
    expect(rewardOf(readRollout(line, source).fields, "reward")).toBe(reward);
  });

  it("lies under the key that is given, the verifier's other figures beside it", () => {
    const { fields } = readRollout(
      '{"score":2,"reward":1,"n":3,"ok":true,"t":"x","_ng_task_index":0,"response":{}}',
      source,
    );

    expect(rewardOf(fields, "score")).toBe(2);
    expect(rewardDetails(fields, "score")).toStrictEqual({ reward: 1, n: 3 });
  });
});

it.each([
  ['{"error":"a","exception":"b"}', "a"],
  ['{"error":" ","exception":"b"}', "b"],
  ['{"failure_reason":"c"}', "c"],
  ['{"_ng_failure_message":"d"}', "d"],
  ['{"error":{"x":1}}', "Gym reported a failure without a reason"],
])("a failure of %s says: %s", (line, text) => {
  expect(failureText(readRollout(line, source).fields)).toBe(text);
});
