import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { formatSummary } from "../../../packages/assay/src/report/text/format-summary.ts";
import { evidenceSetSchema } from "../../../packages/assay/src/schema/evidence.ts";
import type { TrialRecord } from "../../../packages/assay/src/schema/trial.ts";
import { displayWidth } from "../../../packages/assay/src/support/terminal-text.ts";
import { runOf, scoreOf, taskOf, trialOf } from "./run.ts";

const trialFailed = { trial_status: "failed" };
const metricFailed = { exception_type: "TypeError" };
const section = (text: string, title: string) =>
  text.split("\n\n").find((part) => part.startsWith(title)) ?? null;

const withEvidence = (task: string, id: string): TrialRecord => ({
  ...trialOf(task, id, ["E", "x"]),
  evidence: evidenceSetSchema.parse({
    descriptors: { logs: { kind: "logs", ref: `evidence/000000-${task}/${id}/logs/a.jsonl` } },
  }),
});

const small = () =>
  runOf(
    [taskOf("sum-1", "exact-match"), taskOf("sum-2", "exact-match")],
    [
      trialOf("sum-1", "sum-1:callable"),
      trialOf("sum-2", "sum-2:callable", ["TimeoutError", "stopped after 30 s"]),
    ],
    [
      scoreOf("sum-1", "sum-1:callable", "exact-match", { value: 1 }),
      scoreOf("sum-2", "sum-2:callable", "exact-match", {
        error: "no answer",
        details: metricFailed,
      }),
    ],
    "/runs/one",
  );

describe("the summary of a run as text", () => {
  it("has counts, aggregates, tasks, failed trials, failed scores and the first scores", async () => {
    expect(await formatSummary(small())).toMatchInlineSnapshot(`
      "AgentEvalResult(tasks=2, trials=2, scores=2, aggregate_scores=2, completed=1,
        failed=1, errors=1)
      2 trials: 1 completed, 1 partial
      2 scores: 1 measured, 1 metric failed

      Aggregate scores
      name             count  nan_count  mean  min  max  p50  pass@1
      ---------------  -----  ---------  ----  ---  ---  ---  ------
      exact-match.out      1          1     1    1    1    1       1
      exact-match.out: pass@1 over 1 of 2 tasks

      Tasks (1 of 2 below full marks; means, worst first)
      task   trials  exact-match.out  ended badly
      -----  ------  ---------------  --------------
      sum-2       1                -  1 TimeoutError
      sum-1       1                1  -

      Failed trials (1 of 2)
      TimeoutError (1): sum-2:callable
        sum-2:callable: stopped after 30 s

      Error details (1 of 1 failed scores)
      [sum-2 / sum-2:callable / exact-match] failed metric: no answer

      Score preview (first 2 of 2)
      trial_id        metric_type  status     outputs
      --------------  -----------  ---------  -------
      sum-1:callable  exact-match  completed  out=1
      sum-2:callable  exact-match  failed"
    `);
  });

  it("of an empty run has a header and no rows", async () => {
    expect(await formatSummary(runOf([], [], []))).toBe(
      "AgentEvalResult(tasks=0, trials=0, scores=0, aggregate_scores=0)\n\nAggregate scores\n(no rows)",
    );
  });

  it("of a clean run names no failures", async () => {
    const text = await formatSummary(
      runOf(
        [taskOf("t", "m")],
        [trialOf("t", "t:0")],
        [scoreOf("t", "t:0", "m", { value: 1 })],
        "/runs/one",
      ),
    );

    expect(text).toContain("scores=1, aggregate_scores=2, completed=1)");
    expect(text).not.toMatch(/Failed trials|Error details|errors=|Trial evidence/);
  });

  it("says how many trials and scores ended how", async () => {
    const text = await formatSummary(
      runOf(
        [taskOf("t", "m")],
        [
          trialOf("t", "t:0"),
          trialOf("t", "t:1", ["E", null]),
          { ...trialOf("t", "t:2", ["E", null]), status: "failed" },
          trialOf("t", "t:3"),
          trialOf("t", "t:4"),
        ],
        [
          scoreOf("t", "t:0", "m", { value: 1 }),
          scoreOf("t", "t:1", "m", { value: 0 }),
          scoreOf("t", "t:2", "m", { details: trialFailed }),
          scoreOf("t", "t:3", "m", { details: metricFailed }),
          scoreOf("t", "t:4", "m", { details: { unscored_reason: "NO_VALUE" } }),
        ],
      ),
    );

    expect(text.split("\n\n")[0]?.split("\n").slice(2)).toEqual([
      "5 trials: 3 completed, 1 partial, 1 failed",
      "5 scores: 2 measured, 1 unscored, 1 metric failed, 1 trial failed",
    ]);
  });

  it("says of which trials a mean and a pass@k are, where they are not of the same ones", async () => {
    const failed = { ...trialOf("t", "t:1", ["ConnectionError", null]), status: "failed" as const };
    const well = trialOf("t", "t:0");
    const scores = [
      scoreOf("t", "t:0", "m", { value: 1 }),
      scoreOf("t", "t:1", "m", { details: trialFailed }),
    ];
    const aggregates = async (...trials: TrialRecord[]) =>
      section(
        await formatSummary(runOf([taskOf("t", "m")], trials, scores.slice(0, trials.length))),
        "Aggregate",
      );

    expect(await aggregates(well, failed)).toMatch(
      /\n1 failed trial has no score: the mean leaves it out, pass@k counts it as not\n {2}passed$/,
    );
    expect(await aggregates(well)).not.toContain("failed");
  });

  it.each([
    ["long", "a-task-with-quite-a-long-name-".repeat(3)],
    ["drawn wide", "日本語の課題🙂".repeat(9)],
  ])("keeps within the width with names that are %s, and cuts none of them", async (_case, id) => {
    const metric = "command-verifier-with-a-long-name-of-more-than-forty-characters";
    const run = () =>
      runOf(
        [taskOf(id, metric, "m")],
        [
          trialOf(id, `${id}:callable`, ["TimeoutError", "of no use ".repeat(30)]),
          trialOf(id, `${id}:callable:1`),
        ],
        [
          scoreOf(id, `${id}:callable`, metric, { value: 1 / 3 }),
          scoreOf(id, `${id}:callable:1`, metric, { value: 1 }),
          scoreOf(id, `${id}:callable`, "m", { error: "e".repeat(400), details: metricFailed }),
        ],
      );

    for (const width of [60, 80, 120]) {
      const text = await formatSummary(run(), { width });

      for (const line of text.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      const unwrapped = text.replaceAll(/\s/g, "");
      expect(unwrapped).toContain(`${metric}.out`);
      expect(unwrapped).toContain(`belowfullmarks:${id}:callable`);
    }
  });

  it("never parts a path, so that it can be copied", async () => {
    const path = `/runs/${"folder/".repeat(20)}`;
    const run = runOf([taskOf("t", "m")], [withEvidence("t", "t:0")], [], path);

    expect(await formatSummary(run)).toContain(`\nTrial evidence is below\n${path}`);
  });

  it("names the folder of the evidence of each failed trial that is shown, and none where there is none", async () => {
    const run = runOf(
      [taskOf("t", "m")],
      [withEvidence("t", "t:0"), trialOf("t", "t:1", ["E", "y"])],
      [],
      "/runs/one",
    );

    expect(section(await formatSummary(run), "Failed trials")).toBe(
      [
        "Failed trials (2 of 2)",
        "E (2): t:0, t:1",
        "  t:0: x",
        "    evidence/000000-t/t:0",
        "  t:1: y",
        "Trial evidence is below /runs/one",
      ].join("\n"),
    );
  });

  it("never sends control characters of agents to the terminal", async () => {
    const evil = "\u001b]0;owned\u0007\u202e\u009b2J\r\n";
    const run = runOf(
      [taskOf(`t${evil}`, "m")],
      [trialOf(`t${evil}`, `t:0${evil}`, [`Type${evil}`, `message${evil}`])],
      [scoreOf(`t${evil}`, `t:0${evil}`, "m", { error: evil, details: metricFailed })],
      `/runs/${evil}`,
    );

    const text = await formatSummary(run);

    expect(text).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    expect(text).toContain("message\\x1b]0;owned\\x07\\u202e\\x9b2J\\r\\n");
  });

  it("is the same for every order of the rows", async () => {
    const tasks = [taskOf("b", "m", "a"), taskOf("a", "m")];
    const trials = ["b", "a"].flatMap((task) =>
      [0, 1, 2].map((i) => trialOf(task, `same:${i % 2}`, ["E", `message ${task} ${i}`])),
    );
    const scores = ["b", "a"].flatMap((task) =>
      [0, 1, 2, 10].map((i) =>
        scoreOf(task, `${task}:${i}`, "m", { error: `e${i}`, details: metricFailed }),
      ),
    );
    const expected = await formatSummary(runOf(tasks, trials, scores), { maxRows: 3 });

    const orders = fc.tuple(
      fc.shuffledSubarray(trials, { minLength: trials.length }),
      fc.shuffledSubarray(scores, { minLength: scores.length }),
    );
    await fc.assert(
      fc.asyncProperty(orders, async ([shuffledTrials, shuffledScores]) => {
        const run = runOf(tasks, shuffledTrials, shuffledScores);

        expect(await formatSummary(run, { maxRows: 3 })).toBe(expected);
      }),
    );
  });
});

describe("the preview of scores", () => {
  const many = () =>
    runOf(
      [taskOf("t", "m")],
      [],
      [3, 10, 2, 1].map((i) => scoreOf("t", `t:${i}`, "m", { value: i })),
    );

  it("shows the first in plan order and says of how many", async () => {
    const preview = section(await formatSummary(many(), { maxRows: 2 }), "Score preview");

    expect(preview?.split("\n")[0]).toBe("Score preview (first 2 of 4)");
    expect(preview).toMatch(/t:1 .*\n.*t:2 [^\n]*$/);
  });

  it("shows flags and labels as they are, and names outputs that are not called like their metric", async () => {
    const outputs = { m: "ContinuousScore", ok: "BooleanValue", tone: "Label" };
    const run = runOf(
      [taskOf("t", { type: "m", outputs })],
      [],
      [scoreOf("t", "t:1", "m", { values: { m: 0.25, ok: true, tone: "kind" } })],
    );

    expect(section(await formatSummary(run), "Score preview")).toMatch(
      /\nt:1 +m +0\.25, ok=true, tone=kind$/,
    );
  });

  it("has the status of scores only where one is not completed", async () => {
    const run = runOf(
      [taskOf("t", "m")],
      [],
      [scoreOf("t", "t:1", "m", { value: 1 }), scoreOf("t", "t:2", "m", { details: metricFailed })],
    );

    expect(section(await formatSummary(run), "Score preview")).toMatch(/t:2 +m +failed$/);
    expect(section(await formatSummary(many()), "Score preview")).not.toContain("status");
  });

  it("names the task where the id of a trial does not begin with it", async () => {
    const run = runOf([taskOf("a", "m")], [], [scoreOf("a", "17", "m", { value: 1 })]);

    expect(section(await formatSummary(run), "Score preview")).toMatch(/\n17 +a +m +out=1$/);
    expect(section(await formatSummary(many()), "Score preview")).not.toContain("task_id");
  });

  it("can be left out", async () => {
    expect(await formatSummary(many(), { hasPreview: false })).not.toContain("Score preview");
  });

  it.each([0, -3])("shows none with a limit of %i", async (maxRows) => {
    const preview = section(await formatSummary(many(), { maxRows }), "Score preview");

    expect(preview).toBe("Score preview (first 0 of 4)\n(no rows)");
  });
});

describe("failed trials", () => {
  const failing = (count: number, type = "E") =>
    Array.from({ length: count }, (_, i) => trialOf("t", `t:${i}`, [type, `message ${i}`]));

  it("are listed by type: five ids, then how many more, with their messages in trial order", async () => {
    const run = runOf(
      [taskOf("t", "m")],
      [...failing(7).reverse(), trialOf("t", "t:z", ["A", null])],
      [],
    );

    expect(section(await formatSummary(run), "Failed trials")).toBe(
      [
        "Failed trials (8 of 8)",
        "A (1): t:z",
        "E (7): t:0, t:1, t:2, t:3, t:4 ... (2 more)",
        ...[0, 1, 2, 3, 4].map((i) => `  t:${i}: message ${i}`),
      ].join("\n"),
    );
  });

  it("tell a message once that many have, with how many, and their scores do not repeat it", async () => {
    const repeated = "it said last:\n".concat("line\n".repeat(99));
    const trials = [
      ...Array.from({ length: 9 }, (_, i) => trialOf("t", `t:${i}`, ["E", repeated])),
      trialOf("t", "t:1x", ["E", "another"]),
    ];
    const scores = trials.map(({ id, error }) =>
      scoreOf("t", id, "m", { error: error?.message ?? "", details: trialFailed }),
    );
    const text = await formatSummary(runOf([taskOf("t", "m")], trials, scores), { width: 500 });

    expect(text.match(/it said last/g)).toHaveLength(1);
    expect(section(text, "Failed trials")).toMatch(/^ {2}t:0 and 8 more: it said last:.*$/m);
    expect(section(text, "Failed trials")).toMatch(/^ {2}t:1x: another$/m);
    expect(section(text, "Error details")).toBe(
      [
        "Error details (10 of 10 failed scores)",
        "[t / t:0 / m] and 9 more, failed trial: as told above",
      ].join("\n"),
    );
  });

  it("show as many messages as errors are wanted", async () => {
    const run = () => runOf([taskOf("t", "m")], failing(3), []);

    expect(section(await formatSummary(run(), { maxErrorRows: 1 }), "Failed trials")).toMatch(
      /: message 0$/,
    );
    expect(section(await formatSummary(run(), { maxErrorRows: 0 }), "Failed trials")).toMatch(
      /^E \(3\): t:0, t:1, t:2$/m,
    );
  });

  it("give each of the trials that share an id its own message, by plan order of tasks", async () => {
    const run = runOf(
      [taskOf("second", "m"), taskOf("first", "m")],
      [trialOf("first", "0", ["E", "of first"]), trialOf("second", "0", ["E", "of second"])],
      [],
    );

    expect(section(await formatSummary(run), "Failed trials")).toMatch(
      /: of second\n.*: of first$/,
    );
  });

  it("are counted alone when the trials themselves are not there", async () => {
    const run = runOf([taskOf("t", "m")], failing(2), []);
    const text = await formatSummary({ ...run, trialBatches: (async function* () {})() });

    expect(text).toContain("Failed trials (2)\nE (2): t:0, t:1");
  });

  it("have long messages cut", async () => {
    const run = runOf([taskOf("t", "m")], [trialOf("t", "t:0", ["E", "x".repeat(100_000)])], []);

    expect((await formatSummary(run)).length).toBeLessThan(1000);
  });
});

describe("error details", () => {
  it("tell failed trials, failed metrics and unscored ones apart, failed trials last", async () => {
    const run = runOf(
      [taskOf("t", "m", "n")],
      [],
      [
        scoreOf("t", "t:0", "m", { error: "not produced", details: trialFailed }),
        scoreOf("t", "t:0", "n", { error: "boom", details: metricFailed }),
        scoreOf("t", "t:1", "m", {
          error: "not a number",
          details: { unscored_reason: "NON_FINITE" },
        }),
        { ...scoreOf("t", "t:1", "n", { details: metricFailed }), diagnostics: [] },
      ],
    );

    expect(section(await formatSummary(run), "Error details")).toBe(
      [
        "Error details (4 of 4 failed scores)",
        "[t / t:0 / n] failed metric: boom",
        "[t / t:1 / m] unscored: not a number",
        "[t / t:1 / n] failed metric: no error was recorded",
        "[t / t:0 / m] failed trial: not produced",
      ].join("\n"),
    );
  });

  it("say how many were left out", async () => {
    const scores = [0, 1, 2].map((i) =>
      scoreOf("t", `t:${i}`, "m", { error: "e", details: metricFailed }),
    );

    const details = section(
      await formatSummary(runOf([taskOf("t", "m")], [], scores), { maxErrorRows: 1 }),
      "Error details",
    );

    expect(details).toBe(
      [
        "Error details (1 of 3 failed scores)",
        "[t / t:0 / m] failed metric: e",
        "... 2 more failed scores omitted",
      ].join("\n"),
    );
  });

  it("default to as many as rows are shown", async () => {
    const scores = [0, 1, 2].map((i) =>
      scoreOf("t", `t:${i}`, "m", { error: "e", details: metricFailed }),
    );

    expect(await formatSummary(runOf([taskOf("t", "m")], [], scores), { maxRows: 2 })).toContain(
      "(2 of 3 failed scores)",
    );
  });
});
