import { describe, expect, it } from "vitest";

import {
  type FormatSummaryOptions,
  formatSummary,
  type SummarySource,
} from "../../../packages/assay/src/report/text/format-summary.ts";
import type { TrialStatus } from "../../../packages/assay/src/schema/trial.ts";
import { runOf, scoreOf, taskOf, trialOf } from "./run.ts";

const sectionOf = async (run: SummarySource, options?: FormatSummaryOptions) =>
  (await formatSummary(run, options)).split("\n\n").find((part) => part.startsWith("Tasks (")) ??
  null;

const trialFailed = { trial_status: "failed" };
const verifier = {
  type: "verifier",
  outputs: { reward: "ContinuousScore", passed: "BooleanValue" },
};
const judge = { type: "judge", outputs: { tone: "Label" } };

/** One trial: how it ended, and what the verifier gave. */
type Case = readonly [reward: number | null, error?: string, status?: TrialStatus];

const verified = (cases: Readonly<Record<string, readonly Case[]>>) => {
  const rows = Object.entries(cases).flatMap(([task, trials]) =>
    trials.map(([reward, error, status], index) => ({
      task,
      id: `${task}:${index}`,
      reward,
      error,
      status,
    })),
  );
  return runOf(
    Object.keys(cases).map((id) => taskOf(id, verifier)),
    rows.map(({ task, id, error, status }) => ({
      ...trialOf(task, id, error === undefined ? undefined : [error, null]),
      ...(status === undefined ? {} : { status }),
    })),
    rows.map(({ task, id, reward }) =>
      scoreOf(
        task,
        id,
        "verifier",
        reward === null ? { details: trialFailed } : { values: { reward, passed: reward >= 0.5 } },
      ),
    ),
  );
};

describe("the table of tasks", () => {
  it("has the worst first, with means, bad endings and the trials below full marks", async () => {
    const run = verified({
      fine: [[1], [1]],
      half: [[1], [0]],
      none: [[0], [0.25]],
      late: [[1], [0, "TimeoutError"]],
      lost: [
        [null, "ProcessSpawnError", "failed"],
        [null, "ProcessSpawnError", "failed"],
      ],
    });

    expect(await sectionOf(run)).toBe(
      [
        "Tasks (4 of 5 below full marks; means, worst first)",
        "task  trials  verifier.reward  ended badly",
        "----  ------  ---------------  -------------------",
        "lost       2                -  2 ProcessSpawnError",
        "  below full marks: lost:0, lost:1",
        "none       2            0.125  -",
        "  below full marks: none:0, none:1",
        "half       2              0.5  -",
        "  below full marks: half:1",
        "late       2              0.5  1 TimeoutError",
        "  below full marks: late:1",
        "fine       2                1  -",
      ].join("\n"),
    );
  });

  it("of a run in which all went well says so", async () => {
    expect(await sectionOf(verified({ a: [[1]], b: [[2]] }))).toBe(
      [
        "Tasks (2, none below full marks; means)",
        "task  trials  verifier.reward",
        "----  ------  ---------------",
        "a          1                1",
        "b          1                2",
      ].join("\n"),
    );
  });

  it("counts what it does not show", async () => {
    const run = verified({ a: [[1]], b: [[0]], c: [[0]], d: [[0.5]] });

    expect((await sectionOf(run, { maxRows: 1 }))?.split("\n").slice(3)).toEqual([
      // Its one trial needs no name.
      "b          1                0",
      "... 3 more tasks, 2 of them below full marks",
    ]);
    expect(
      (await sectionOf(verified({ a: [[1]], b: [[1]] }), { maxRows: 1 }))?.split("\n").at(-1),
    ).toBe("... 1 more task");
    expect(await sectionOf(verified({ a: [[0]] }), { maxRows: 0 })).toBe(
      "Tasks (1 of 1 below full marks; means, worst first)\n... 1 more task, 1 of them below full marks",
    );
  });

  it("names the first five of the trials below full marks", async () => {
    const run = verified({ a: Array.from({ length: 12 }, (_, i): Case => [i % 2]) });

    expect(await sectionOf(run)).toContain(
      "  below full marks: a:0, a:2, a:4, a:6, a:8 ... (1 more)",
    );
    expect(await sectionOf(verified({ a: Array.from({ length: 6 }, (): Case => [0]) }))).toContain(
      "\n  below full marks: all 6 trials",
    );
  });

  it("counts a completed trial with an error among the bad endings, and takes its score as it is", async () => {
    const section = await sectionOf(verified({ a: [[1, "Odd", "completed"]] }));

    expect(section).toContain("Tasks (1 of 1 below");
    expect(section).toMatch(/\na +1 +1 +1 Odd$/);
  });

  it("has tasks without trials before those that went well", async () => {
    const section = await sectionOf(verified({ a: [[1]], b: [], c: [[0]] }));

    expect(section?.match(/^[abc] +\d/gm)).toEqual([
      "c          1",
      "b          0",
      "a          1",
    ]);
  });

  it("shows the most frequent label of a metric that gives labels, and judges no task by it", async () => {
    const score = (i: number, tone: string) =>
      scoreOf("t", `t:${i}`, "judge", { values: { tone } });
    const run = runOf(
      [taskOf("t", judge)],
      [0, 1, 2].map((i) => trialOf("t", `t:${i}`)),
      [score(0, "rude"), score(1, "kind"), score(2, "kind")],
    );

    expect(await sectionOf(run)).toBe(
      [
        "Tasks (1; means)",
        "task  trials  judge.tone",
        "----  ------  ----------",
        "t          3  kind",
      ].join("\n"),
    );
  });

  it("misses no score of a metric whose values the summary does not keep", async () => {
    const run = runOf(
      [taskOf("t", { type: "m", outputs: { notes: "Notes" } })],
      [trialOf("t", "t:0")],
      [scoreOf("t", "t:0", "m", { values: { notes: { text: "fine" } } })],
    );

    expect((await sectionOf(run))?.split("\n")[0]).toBe("Tasks (1; means)");
  });

  it("does not charge a trial that a metric could not measure", async () => {
    const run = runOf(
      [taskOf("t", "m")],
      [trialOf("t", "t:0")],
      [scoreOf("t", "t:0", "m", { error: "e", details: { exception_type: "E" } })],
    );

    expect(await sectionOf(run)).toMatch(/^Tasks \(1, 1 lacks scores; means\)\n.*\n.*\nt +1 +-$/);
  });

  it("says that all is well only of tasks that every metric has measured", async () => {
    const failed = { error: "e", details: { exception_type: "E" } };
    const tasks = ["well", "lost", "bad"].map((id) => taskOf(id, "m", "n"));
    const trials = tasks.map(({ id }) => trialOf(id, `${id}:0`));
    const scores = [
      scoreOf("well", "well:0", "m", { value: 1 }),
      scoreOf("well", "well:0", "n", { value: 1 }),
      scoreOf("lost", "lost:0", "m", { value: 1 }),
      scoreOf("lost", "lost:0", "n", failed),
    ];
    const bad = scoreOf("bad", "bad:0", "m", { value: 0 });
    const titleOf = async (run: SummarySource) => (await sectionOf(run))?.split("\n")[0];

    expect(await titleOf(runOf(tasks.slice(0, 2), trials, scores))).toBe(
      "Tasks (2, 1 lacks scores; means)",
    );
    expect(await titleOf(runOf(tasks, trials, [...scores, bad]))).toBe(
      "Tasks (1 of 3 below full marks, 1 lacks scores; means, worst first)",
    );
    expect(await titleOf(runOf(tasks.slice(0, 2), [], []))).toBe("Tasks (2, 2 lack scores; means)");
  });

  it("takes a figure that is not a number as below full marks, and leaves it out of the mean", async () => {
    const run = verified({ t: [[1], [0]] });
    const taskMetricValues: SummarySource["summary"]["taskMetricValues"] = {
      t: {
        "verifier.reward": [
          { trialId: "t:0", valueType: "number", value: 1 },
          { trialId: "t:1", valueType: "number", value: "NaN" },
        ],
      },
    };

    expect(await sectionOf({ ...run, summary: { ...run.summary, taskMetricValues } })).toMatch(
      /\nt +2 +1\n {2}below full marks: t:1$/,
    );
  });

  it("keeps tasks, metrics and outputs that are called like members of objects", async () => {
    const odd = { type: "constructor", outputs: { toString: "ContinuousScore" } };
    const run = runOf(
      [taskOf("__proto__", odd), taskOf("constructor", odd)],
      [trialOf("__proto__", "p:0"), trialOf("constructor", "c:0")],
      [scoreOf("__proto__", "p:0", "constructor", { values: { toString: 1 } })],
    );

    expect(await sectionOf(run)).toMatch(
      /\nconstructor +1 +-\n__proto__ +1 +1$|\n__proto__ +1 +1\nconstructor +1 +-$/,
    );
  });
});
