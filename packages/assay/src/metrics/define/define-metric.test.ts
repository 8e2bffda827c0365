import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";

import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { defineMetric } from "./define-metric.ts";

const wordLimit = defineMetric({
  type: "word-limit",
  version: "2",
  description: "Whether the answer is short.",
  config: z.strictObject({
    maxWords: z.int().positive().default(5).describe("Most words that pass."),
    note: z.string().optional(),
  }),
  outputs: ({ maxWords }) => [
    { name: "is_short", kind: "boolean", description: `At most ${maxWords} words.` },
    { name: "words", kind: "discrete", absent: "unscored" },
    { name: "kind", kind: "label" },
  ],
  needs: ["text"],
  retries: 1,
  timeoutMs: ({ maxWords }) => maxWords * 1000,
  compute: ({ candidate }, { maxWords }) => {
    const words = (candidate.outputText ?? "").split(" ").length;
    return { outputs: { is_short: words <= maxWords, words, kind: "prose" } };
  },
});

function failureOf(work: () => unknown): AssayError {
  try {
    work();
  } catch (thrown) {
    if (AssayError.isInstance(thrown)) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}

describe("a factory of defineMetric", () => {
  it("makes a metric with all that the engine reads", () => {
    expect(wordLimit({ maxWords: 3 })).toMatchObject({
      type: "word-limit",
      version: "2",
      config: { max_words: 3 },
      needs: ["text"],
      retries: 1,
      timeoutMs: 3000,
      outputs: [
        { name: "is_short", kind: "boolean", description: "At most 3 words.", absent: false },
        { name: "words", kind: "discrete", description: null, absent: "unscored" },
        { name: "kind", kind: "label", description: null, absent: "unscored" },
      ],
    });
  });

  it("records the settings that took effect, defaults included, in snake_case", () => {
    expect(wordLimit().config).toStrictEqual({ max_words: 5 });
    expect(wordLimit.fromConfig({ note: "n" }).config).toStrictEqual({ max_words: 5, note: "n" });
  });

  it("computes with the settings that it recorded", async () => {
    const input = metricInput({ outputText: "one two three" });

    expect(
      (await wordLimit({ maxWords: 2 }).compute(input, metricContextOf())).outputs["is_short"],
    ).toBe(false);
    expect(
      (await wordLimit.fromConfig({ max_words: 3 }).compute(input, metricContextOf())).outputs[
        "is_short"
      ],
    ).toBe(true);
  });

  it.each([
    [
      "TypeScript",
      () => wordLimit({ maxWord: 3 } as never),
      'metric "word-limit": unknown key "maxWord" (did you mean "maxWords"?)',
    ],
    [
      "YAML",
      () => wordLimit.fromConfig({ maxWords: 3 }),
      'metric "word-limit": unknown key "maxWords" (did you mean "max_words"?)',
    ],
  ])(
    "refuses an unknown key of %s with a suggestion in the same spelling",
    (_form, make, message) => {
      const failure = failureOf(make);

      expect(failure.code).toBe("ASSAY_CONFIG_UNKNOWN_KEY");
      expect(failure.message).toBe(message);
    },
  );

  it("refuses a wrong value when the metric is made, naming where it was written", () => {
    const failure = failureOf(() => wordLimit.fromConfig({ max_words: 0 }, "suite.yaml:3"));

    expect(failure.code).toBe("ASSAY_CONFIG_INVALID");
    expect(failure.message).toMatch(/^suite\.yaml:3: max_words: /);
  });

  it("has the JSON Schema of what YAML writes", () => {
    expect(wordLimit.jsonSchema()).toMatchObject({
      type: "object",
      properties: {
        max_words: { type: "integer", default: 5, description: "Most words that pass." },
        note: { type: "string" },
      },
      additionalProperties: false,
    });
  });

  it("asks for options only where there is no default", () => {
    const strict = defineMetric({
      type: "strict",
      description: "",
      config: z.strictObject({ limit: z.number() }),
      outputs: [{ name: "x", kind: "continuous" }],
      compute: () => ({ outputs: { x: 1 } }),
    });

    expectTypeOf(strict).parameter(0).toEqualTypeOf<{ limit: number }>();
    expectTypeOf(wordLimit).toBeCallableWith();
    expectTypeOf(wordLimit).toBeCallableWith({ maxWords: 1 });
  });

  it("prepares once, not for every trial", async () => {
    let times = 0;
    const metric = defineMetric({
      type: "prepared",
      description: "",
      config: z.strictObject({}),
      outputs: [{ name: "times", kind: "discrete" }],
      prepare: () => {
        times += 1;
        return { times };
      },
      compute: (_input, prepared) => ({ outputs: { times: prepared.times } }),
    })();

    await metric.compute(metricInput(), metricContextOf());

    expect((await metric.compute(metricInput(), metricContextOf())).outputs).toStrictEqual({
      times: 1,
    });
  });

  it("turns a throw of compute into a rejection", async () => {
    const metric = defineMetric({
      type: "broken",
      description: "",
      config: z.strictObject({}),
      outputs: [{ name: "x", kind: "continuous" }],
      compute: () => {
        throw new Error("no");
      },
    })();

    await expect(metric.compute(metricInput(), metricContextOf())).rejects.toThrow("no");
  });
});

describe("defineMetric refuses", () => {
  const definition = {
    description: "",
    config: z.strictObject({}),
    compute: () => ({ outputs: {} }),
  };
  const output = { name: "x", kind: "continuous" } as const;

  it.each([
    [
      "an empty type",
      { ...definition, type: " ", outputs: [output] },
      "a metric: needs a type that is not empty",
    ],
    ["no outputs", { ...definition, type: "m", outputs: [] }, 'metric "m": declares no output'],
    [
      "an output twice",
      { ...definition, type: "m", outputs: [output, output] },
      'metric "m": declares the output "x" twice',
    ],
    [
      "an output without a name",
      { ...definition, type: "m", outputs: [{ ...output, name: "" }] },
      'metric "m": declares an output without a name',
    ],
  ])("%s", (_case, wrong, problem) => {
    expect(failureOf(() => defineMetric(wrong)()).message).toBe(problem);
  });
});

describe("the types of a definition", () => {
  const definition = {
    type: "typed",
    description: "Of a test.",
    config: z.strictObject({ limit: z.number().default(1) }),
    outputs: [
      { name: "score", kind: "continuous" },
      { name: "verdict", kind: "label" },
    ],
  } as const;

  it("take each declared output with a value of its kind, and the outputs that a configuration makes", () => {
    defineMetric({
      ...definition,
      compute: (_input, { limit }) => ({ outputs: { score: limit, verdict: null } }),
    });
    defineMetric({
      ...definition,
      compute: async ({ candidate }) => ({
        outputs: { score: candidate.outputText === "x", verdict: "good" },
        diagnostics: [],
      }),
    });
    defineMetric({
      ...definition,
      outputs: ({ limit }) => [{ name: `at-${limit}`, kind: "boolean" }],
      compute: (_input, { limit }) => ({ outputs: { [`at-${limit}`]: true } }),
    });
  });

  it("refuse an output of another name or kind, and one that is left out", () => {
    defineMetric({
      ...definition,
      // @ts-expect-error -- it is score
      compute: () => ({ outputs: { scor: 1, verdict: "good" } }),
    });
    defineMetric({
      ...definition,
      // @ts-expect-error -- a number
      compute: () => ({ outputs: { score: "1", verdict: "good" } }),
    });
    defineMetric({
      ...definition,
      // @ts-expect-error -- the verdict is missing
      compute: async () => ({ outputs: { score: 1 } }),
    });
  });
});
