import { describe, expect, it } from "vitest";

import { type Summary, summarySchema } from "../../packages/assay/src/schema/summary.ts";
import { scoreByName } from "../../packages/assay/src/statistics/score-lookup.ts";

const summaryOf = (...names: string[]): Summary =>
  summarySchema.parse({
    scores: { scores: names.map((name, index) => ({ name, scoreType: "scalar", value: index })) },
  });
const twelve = Array.from({ length: 12 }, (_, index) => `metric-number-${index}.out`);

describe("a score by its name", () => {
  it("is the first one where names repeat", () => {
    expect(scoreByName(summaryOf("a.x", "b.x", "b.x"), "b.x")).toMatchObject({ value: 1 });
  });

  it.each([
    ["no aggregates", [], "a.x", /no aggregate scores$/],
    ["one close match alone", ["reward.reward"], "reward.rewad", /did you mean "reward.reward"\?$/],
    [
      "one other aggregate",
      ["reward.reward", "zzz.length"],
      "reward.rewad",
      /did you mean "reward.reward"\? There is 1 other aggregate\.$/,
    ],
    [
      "several other aggregates",
      ["reward.reward", "zzz.length", "view.solved"],
      "reward.rewad",
      /There are 2 other aggregates\.$/,
    ],
    [
      "the last part of a name",
      ["verifier.reward", "x.y"],
      "reward",
      /did you mean "verifier.reward"\?/,
    ],
    ["no match", ["a.x", "b.x"], "something-else", /; there are: a\.x, b\.x$/],
    [
      "no match among many",
      twelve,
      "zz",
      /there are: metric-number-0\.out, .*metric-number-9\.out \(2 more\)$/,
    ],
    [
      "repeated names, mentioned once",
      ["a.x", "a.x", "b.x"],
      "something-else",
      /there are: a\.x, b\.x$/,
    ],
    [
      "repeated close matches, mentioned once",
      ["reward.reward", "reward.reward"],
      "reward.rewad",
      /: did you mean "reward.reward"\?$/,
    ],
  ])("that does not exist tells of %s", (_case, names, wanted, message) => {
    expect(() => scoreByName(summaryOf(...names), wanted)).toThrow(message);
  });
});
