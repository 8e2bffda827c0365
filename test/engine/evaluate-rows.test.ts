import { evaluate } from "assay";
import { exactMatch } from "assay/metrics";
import { callable } from "assay/runners";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { constant, folder, metric, refusal, rowsOf, saysYes } from "./run-kit.ts";

beforeEach(() => {
  vi.stubEnv("XDG_CACHE_HOME", folder());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const rows = [
  { input: "2 + 3", output: "5", reference: "5" },
  { input: "2 + 2", output: "5", reference: "4" },
];
const right = () => exactMatch({ reference: "{{ item.reference.answer }}" });

/** The one value of each score, by task. */
async function valuesOf(result: Awaited<ReturnType<typeof evaluate>>) {
  const { scores } = await rowsOf(result);
  return Object.fromEntries(scores.map(({ taskId, outputs }) => [taskId, outputs[0]?.value]));
}

describe("evaluating rows without a target", () => {
  it("scores each row's output", async () => {
    const result = await evaluate({ rows, metrics: [right()] });

    expect(await valuesOf(result)).toEqual({ "row-1": 1, "row-2": 0 });
    expect(result).toMatchObject({ status: "completed", exitCode: 0 });
    expect(result.metadata.target).toMatchObject({ name: "imported", kind: "imported" });
  });

  it("takes ids and columns from where it is told", async () => {
    const result = await evaluate({
      rows: [{ meta: { key: "a" }, q: "2 + 3", said: { final: "5" }, gold: { answer: "5" } }],
      metrics: [right()],
      fieldMapping: { id: "meta.key", input: "q", output: "said.final", reference: "gold" },
    });

    expect(await valuesOf(result)).toEqual({ a: 1 });
  });

  it("gives the whole row to templates and metrics", async () => {
    const seen: unknown[] = [];
    await evaluate({
      rows: [{ input: { q: 1 }, output: { a: 2 }, note: "kept" }],
      metrics: [
        metric("look", ({ row, candidate }) => {
          seen.push(row.inputs, candidate.response, candidate.outputText);
          return { outputs: { score: 1 } };
        }),
      ],
    });

    expect(seen).toEqual([
      {
        instruction: '{"q":1}',
        row: { input: { q: 1 }, output: { a: 2 }, note: "kept" },
      },
      { a: 2 },
      null,
    ]);
  });

  it("takes a row whose agent said nothing as one that did not end well", async () => {
    const result = await evaluate({
      rows: [
        { input: "a", output: "yes" },
        { input: "b", output: null },
      ],
      metrics: [saysYes()],
    });

    const { trials } = await rowsOf(result);
    expect(trials.map(({ status }) => status)).toEqual(["completed", "partial"]);
    expect(await valuesOf(result)).toEqual({ "row-1": 1, "row-2": 0 });
  });

  it.each([
    ["no rows", [], "ASSAY_TASK_INVALID", "no rows"],
    ["a row without an output", [{ input: "x" }], "ASSAY_TASK_INVALID", '"output"'],
    ["an id that is no string", [{ id: 7, output: "x" }], "ASSAY_TASK_INVALID", "7"],
    ["a row that is no object", ["text"], "ASSAY_TASK_INVALID", "row 1"],
    [
      "two rows of one id",
      [
        { id: "a", output: "x" },
        { id: "a", output: "y" },
      ],
      "ASSAY_TASK_DUPLICATE",
      '"a"',
    ],
  ])("refuses %s", async (_what, given, code, says) => {
    const refused = await refusal(() => evaluate({ rows: given as never, metrics: [saysYes()] }));

    expect(refused).toMatchObject({ code, exitCode: 2 });
    expect(refused.message).toContain(says);
  });
});

describe("evaluating rows with a target", () => {
  it("runs each row as a task", async () => {
    const result = await evaluate({
      rows: rows.map(({ output: _output, ...row }) => row),
      metrics: [right()],
      target: callable({
        name: "adder",
        agent: ({ inputs }) => (inputs.instruction === "2 + 3" ? "5" : "4"),
      }),
      config: { trialsPerTask: 2 },
    });

    expect(result.summary.trialCount).toBe(4);
    expect(result.summary.scores.scores.find(({ name }) => name.endsWith("pass@1"))?.mean).toBe(1);
    expect(result.metadata.target?.name).toBe("callable");
  });
});

describe("a key that evaluate does not know", () => {
  it.each([
    [{ fieldMapping: { outputt: "answer" } }, "outputt", 'did you mean "output"'],
    [{ fieldMaping: {} }, "fieldMaping", 'did you mean "fieldMapping"'],
  ])("is refused with what was meant: %j", async (more, key, hint) => {
    const refused = await refusal(() =>
      evaluate({ rows: [{ answer: "5" }], metrics: [constant()], ...(more as object) }),
    );

    expect(refused).toMatchObject({ code: "ASSAY_CONFIG_UNKNOWN_KEY", exitCode: 2 });
    expect(refused.message).toContain(key);
    expect(refused.message).toContain(hint);
  });
});
