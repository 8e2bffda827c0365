import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentEvaluator } from "assay";
import { describe, expect, it } from "vitest";
import { gymAggregates } from "../../../packages/assay/src/runners/gym/aggregates.ts";
import { parseJson } from "../../../packages/assay/src/support/json.ts";
import { refusal } from "../../engine/run-kit.ts";
import { temporaryFolder } from "../../platform/temporary-folder.ts";
import { sharedFixtures } from "../../support/tools.ts";

async function importing(cwd: string, file = "job/rollouts.jsonl") {
  const evaluator = new AgentEvaluator({ cwd, env: {}, scratchParent: join(cwd, "scratch") });
  const { losses, result } = await evaluator.importResults("gym", file, {
    workDir: join(cwd, "out"),
  });
  const trials = [...(await result.trials.toArray())].sort((a, b) => (a.id < b.id ? -1 : 1));
  const scores = result.summary.scores.scores;
  return { losses, trials, summary: result.summary, scores, result };
}

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "job"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, "job", name), text);
  return folder;
}

/** A recording, named as Gym names what it writes. */
function recorded(name: string): string {
  const folder = folderOf({});
  for (const suffix of [".jsonl", "_materialized_inputs.jsonl", "_aggregate_metrics.json"]) {
    const known =
      suffix === ".jsonl" ||
      name === "multi_turn_gymnasium" ||
      (name === "blackjack" && suffix !== "_materialized_inputs.jsonl");
    if (!known) continue;
    const from = sharedFixtures(`gym/${name}_example_rollouts${suffix}`);
    copyFileSync(from, join(folder, "job", `rollouts${suffix}`));
  }
  return folder;
}

const rewardsOf = (trials: readonly { metadata: Readonly<Record<string, unknown>> }[]) =>
  trials.map(({ metadata }) => metadata["reward"]);

describe("recorded rollouts of Gym become a bundle", () => {
  it("of blackjack: five rollouts of one task, with Gym's own figures in the summary", async () => {
    const { trials, scores, losses, summary } = await importing(recorded("blackjack"));

    expect(trials.map(({ id, status }) => [id, status])).toStrictEqual(
      [0, 1, 2, 3, 4].map((index) => [`gym-task-0:${index}`, "completed"]),
    );
    expect(rewardsOf(trials)).toStrictEqual([-1, 1, -1, 1, 1]);
    expect(trials[0]).toMatchObject({
      output: {
        outputText: "<action>hit</action>\n<action>hit</action>",
        metadata: { agent_ref: { name: "blackjack_gymnasium_agent" } },
      },
      measurements: { promptTokens: 244, completionTokens: 16, totalTokens: 260 },
    });
    const byName = new Map(scores.map((score) => [score.name, score]));
    expect(byName.get("gym_reward.reward")).toMatchObject({ mean: 0.2, count: 5 });
    expect(byName.get("runner.gym.input_tokens")).toMatchObject({
      mean: 153.8,
      min: 93,
      max: 244,
      median: 95,
      sampleStdDev: 82.34500592021352,
      count: null,
    });
    expect([...byName.keys()].filter((name) => name.startsWith("runner.")).sort()).toStrictEqual([
      "runner.gym.input_tokens",
      "runner.gym.output_tokens",
      "runner.gym.terminated",
      "runner.gym.total_tokens",
      "runner.gym.truncated",
    ]);
    expect(summary.trialCount).toBe(5);
    expect(losses).toStrictEqual([
      {
        field: "rollouts_aggregate_metrics.json: group_level_metrics",
        reason: "figures by task have no place in a summary; metrics give them anew",
        count: 1,
      },
    ]);
  });

  it("of several turns: tasks are the rows that Gym laid out beside them", async () => {
    const { trials, scores, result } = await importing(recorded("multi_turn_gymnasium"));

    expect(rewardsOf(trials)).toStrictEqual([1, 1, 1, 1, 1]);
    expect(trials.every(({ id }) => /^[0-9a-f]{64}:0$/.test(id))).toBe(true);
    const { tasks } = result;
    expect(tasks.map(({ metadata }) => metadata["gym_row_extras"])).toContainEqual(
      expect.objectContaining({ expected_answer: "Eiffel" }),
    );
    expect(tasks.every(({ inputs }) => typeof inputs["instruction"] === "string")).toBe(true);
    expect(scores.map(({ name }) => name)).toContain("runner.gym.total_tokens");
  });

  it.each([
    ["mcqa", [0, 0, 1, 1, 1], [140, 141, 249, 254, 277]],
    ["single_tool_call", [1, 1, 1, 1, 1], [60, 65, 103, 105, 107]],
  ] as const)(
    "of %s: rows without indexes are tasks by what was asked",
    async (name, rewards, tokens) => {
      const { trials, losses, scores } = await importing(recorded(name));

      expect(losses).toStrictEqual([]);
      expect([...rewardsOf(trials)].sort()).toStrictEqual([...rewards]);
      expect(trials.every(({ id }) => /^[0-9a-f]{64}:noidx\d$/.test(id))).toBe(true);
      expect(trials.every(({ output }) => (output?.outputText ?? "") !== "")).toBe(true);
      const sent = trials.map(({ measurements }) => measurements.promptTokens ?? 0);
      expect(sent.sort((a, b) => a - b)).toStrictEqual([...tokens]);
      expect(scores.find((score) => score.name === "gym_reward.reward")).toMatchObject({
        count: 5,
      });
    },
  );

  it("figures that are no numbers are passed over", () => {
    const document = readFileSync(
      sharedFixtures("gym/litmus_agent_aggregate_metrics.json"),
      "utf8",
    );

    const aggregates = gymAggregates(parseJson(document, "litmus"));

    expect(aggregates).toHaveLength(6);
    expect(aggregates[0]).toMatchObject({
      name: "runner.gym.predicted_value",
      scoreType: "range",
      mean: 5.755,
      max: 18.02,
      median: 2,
      sampleStdDev: 8.230842403221354,
    });
    const names = aggregates.map(({ name }) => name);
    expect(names).not.toContain("runner.gym.reward");
    expect(names).not.toContain("runner.gym.direct");
  });
});

const rollout = (index: number, fields: object = {}) =>
  JSON.stringify({
    responses_create_params: { input: "q" },
    response: { output: [], usage: null },
    reward: 1,
    _ng_task_index: 0,
    _ng_rollout_index: index,
    ...fields,
  });

describe("files of rollouts", () => {
  it("keep each row as evidence, as Gym wrote it, with fields that nobody knows", async () => {
    const row = rollout(0, { verifier_notes: "  both hands held  " });
    const failure = rollout(1, { _ng_failure_class: "timeout_exceeded", error: "slow" });
    const cwd = folderOf({
      "rollouts.jsonl": `${row}\n`,
      "rollouts_failures.jsonl": `${failure}\n`,
    });

    const { trials, result } = await importing(cwd, "job");
    const stored = trials.flatMap(({ evidence }) =>
      ["rollout", "rollout_failure"].map((name) => evidence?.descriptors[name]?.ref ?? null),
    );

    expect(stored.filter((ref) => ref !== null)).toHaveLength(2);
    const [first = "", second = ""] = stored.filter((ref) => ref !== null);
    expect(readFileSync(join(result.workDir, first), "utf8")).toBe(`${row}\n`);
    expect(readFileSync(join(result.workDir, second), "utf8")).toBe(`${failure}\n`);
  });

  it("may have failures beside them, and a torn line, which is told", async () => {
    const cwd = folderOf({
      "rollouts.jsonl": `${rollout(1)}\n${rollout(0, { reward: "1" })}\n${rollout(2).slice(0, 40)}`,
      "rollouts_failures.jsonl": `${rollout(3, { _ng_failure_class: "timeout_exceeded", error: "slow" })}\n`,
      "rollouts_aggregate_metrics.json": "[",
    });
    symlinkSync("rollouts.jsonl", join(cwd, "job/rollouts_materialized_inputs.jsonl"));

    const { trials, losses, scores } = await importing(cwd, "job");

    expect(trials.map(({ id, status, error }) => [id, status, error?.type ?? null])).toStrictEqual([
      ["gym-task-0:0", "partial", "MissingReward"],
      ["gym-task-0:1", "completed", null],
      ["gym-task-0:fail0", "failed", "TimeoutError"],
    ]);
    expect(losses).toMatchObject([
      {
        field: "rollouts_materialized_inputs.jsonl",
        reason: "a link, which is not followed",
        count: 1,
      },
      {
        field: "rollouts.jsonl:3",
        reason: "the line is no JSON object: it was torn, or is of something else",
        count: 1,
      },
      { field: "rollouts_aggregate_metrics.json", count: 1 },
    ]);
    expect(scores.find(({ name }) => name === "gym_reward.reward")).toMatchObject({ mean: 1 });
  });

  it("lose a row that gives a key twice, for readers take different ones of its values", async () => {
    const twice = rollout(0).replace("{", '{"reward":0.25,');
    const cwd = folderOf({ "rollouts.jsonl": `${rollout(1)}\n${twice}\n` });

    const { trials, losses } = await importing(cwd, "job");

    expect(trials.map(({ id }) => id)).toStrictEqual(["gym-task-0:1"]);
    expect(losses).toContainEqual({
      field: "rollouts.jsonl:2",
      reason: 'the key "reward" of an object stands in it twice',
      count: 1,
    });
  });

  it("may hold what cannot be kept: it costs one field of one row", async () => {
    const deep = "[".repeat(5000) + "]".repeat(5000);
    const rows = [
      rollout(0, { response: "DEEP" }).replace('"DEEP"', deep),
      rollout(1, { reward: "DEEP" }).replace('"DEEP"', deep),
      rollout(2, { reward: "HUGE" }).replace('"HUGE"', "1e999"),
      rollout(3),
    ];
    const cwd = folderOf({ "rollouts.jsonl": `\uFEFF${rows.join("\n")}\n` });

    const { trials } = await importing(cwd, "job");

    expect(trials.map(({ status, error }) => [status, error?.type, error?.message])).toStrictEqual([
      ["partial", "OutputUnreadable", expect.stringContaining("nested too deep")],
      ["partial", "MissingReward", expect.stringContaining("it is null")],
      ["partial", "MissingReward", expect.stringContaining("it is Infinity")],
      ["completed", undefined, undefined],
    ]);
  });

  it.each<[string, string, string]>([
    ["nothing", "", '"rollouts.jsonl" holds no rollout of NeMo Gym; it is empty'],
    ["no JSON", "hello\n", 'holds no rollout of NeMo Gym; it begins with "hello"'],
    [
      "rows of something else",
      `${rollout(0)}\n{"id":1,"text":"x"}\n`,
      'rollouts.jsonl:2 is no rollout of NeMo Gym: it has neither "response" nor "responses_create_params", but id, text',
    ],
  ])("that hold %s are refused", async (_case, text, message) => {
    const cwd = folderOf({ "rollouts.jsonl": text });

    expect(await refusal(() => importing(cwd))).toMatchObject({
      code: "ASSAY_RESULTS_INVALID",
      message: expect.stringContaining(message) as string,
    });
  });

  it("a folder without them is refused", async () => {
    expect(await refusal(() => importing(folderOf({}), "job"))).toMatchObject({
      code: "ASSAY_RESULTS_INVALID",
      message: 'the folder "job" has no rollouts.jsonl',
    });
  });
});
