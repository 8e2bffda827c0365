import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toWire } from "../../../packages/assay/src/schema/codec.ts";
import { type Summary, summarySchema } from "../../../packages/assay/src/schema/summary.ts";
import { decodeSummary } from "../../../packages/assay/src/statistics/decode-summary.ts";
import { summaryDocument } from "../../../packages/assay/src/statistics/summary-document.ts";
import { formatDocument } from "../../../packages/assay/src/support/json.ts";
import { metricFailed, scored, task, trial, trialFailed, unscored } from "./rows.ts";
import { summarise } from "./summarise-rows.ts";

const tasks = ["t1", "t0", "t10"].map((id) =>
  task(
    id,
    { m: { x: "ContinuousScore", ok: "BooleanValue" }, judge: { grade: "Label" } },
    {
      v: {
        reducer: "mean",
        signals: [
          { metric: "m", output: "x", weight: null },
          { metric: "m", output: "ok", weight: null },
        ],
      },
    },
  ),
);

const taskId = fc.constantFrom("t1", "t0", "t10", "stranger", "alien");
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 1, 0.1, 0.2, 0.3, "NaN", "Infinity", "a label"),
);
const row = fc.record({
  taskId,
  suffix: fc.constantFrom("0", "1", "2", "10", "01", "é\ud800"),
  kind: fc.constantFrom("m", "judge", "other", "trial", "metric", "unscored", "partial"),
  x: number,
  ok: fc.constantFrom(true, false, null, 1),
  grade: fc.constantFrom("good", "bad", "NaN", ""),
});

const scoreOf = ({
  taskId,
  suffix,
  kind,
  x,
  ok,
  grade,
}: typeof row extends fc.Arbitrary<infer T> ? T : never) => {
  const id = `${taskId}:${suffix}`;
  switch (kind) {
    case "judge":
      return scored(`${id} judge`, { grade });
    case "other":
      return scored(`${id} other`, { x });
    case "trial":
      return trialFailed(`${id} m`);
    case "metric":
      return metricFailed(`${id} judge`);
    case "unscored":
      return unscored(`${id} m`);
    case "partial":
      return scored(`${id} m`, { x });
    default:
      return scored(`${id} m`, { x, ok });
  }
};
const scoreRows = fc.array(row.map(scoreOf), { maxLength: 40 });
const trialRows = fc.array(
  fc
    .tuple(taskId, fc.constantFrom("0", "1", "10"), fc.constantFrom(null, "E", "TimeoutError"))
    .map(([id, suffix, error]) => trial(id, `${id}:${suffix}`, error)),
  { maxLength: 20 },
);
const permuted = <T>(rows: readonly T[]) =>
  fc.shuffledSubarray([...rows], { minLength: rows.length });
const twoOrders = fc.tuple(scoreRows, trialRows).chain(([scores, trials]) =>
  fc.record({
    scores: fc.constant(scores),
    trials: fc.constant(trials),
    otherScores: permuted(scores),
    otherTrials: permuted(trials),
    isPlanned: fc.boolean(),
  }),
);
const planned = (_task: string, id: string) =>
  id.endsWith(":10") ? 0 : id.endsWith(":0") ? 1 : null;
const document = (summary: Summary) => formatDocument(toWire(summarySchema, summary));

describe("a summary", () => {
  it("has the same bytes for every permutation of the rows", async () => {
    await fc.assert(
      fc.asyncProperty(
        twoOrders,
        async ({ scores, trials, otherScores, otherTrials, isPlanned }) => {
          const order = isPlanned ? { trialOrder: planned } : {};
          const first = await summarise({ tasks, trials, scores, ...order });
          const second = await summarise({
            tasks,
            trials: otherTrials,
            scores: otherScores,
            ...order,
          });

          expect(document(second)).toBe(document(first));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("orders the labels of trials that share an id by their text", async () => {
    const scores = ["b", "a", "c"].map((grade) => scored("t1:0 judge", { grade }));

    const [first, second] = [scores, [...scores].reverse()].map((rows) =>
      summarise({ tasks, trials: [], scores: rows }),
    );

    expect((await first)?.taskMetricValues).toEqual((await second)?.taskMetricValues);
  });

  it("is written piece by piece as the same document, and reads back as the same summary", async () => {
    await fc.assert(
      fc.asyncProperty(scoreRows, trialRows, async (scores, trials) => {
        const summary = await summarise({ tasks, trials, scores });
        const text = [...summaryDocument(summary)].join("");

        expect(text).toBe(document(summary));
        const read = decodeSummary(JSON.parse(text));
        expect(document(read.summary)).toBe(text);
        expect(text).not.toMatch(/: -?(NaN|Infinity)/);
      }),
    );
  });

  it("of nothing is written piece by piece too", async () => {
    const summary = await summarise({ tasks: [], trials: [], scores: [] });

    expect([...summaryDocument(summary)].join("")).toBe(document(summary));
  });
});
