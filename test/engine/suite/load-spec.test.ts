import type { RunContext, Suite, Trial, TrialPlan } from "assay";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../packages/assay/src/support/digest.ts";
import { load, loadError } from "./suite-folder.ts";

/** The first trial of a task among those that a suite imports. */
async function trialsOf(imported: Suite["importedTrials"], id: string): Promise<Trial[]> {
  const plan = {
    tasks: [{ task: { id }, taskIndex: 0, trialIndexes: [0] }],
  } as unknown as TrialPlan;
  const trials: Trial[] = [];
  for await (const trial of imported?.read(plan, {} as RunContext) ?? []) trials.push(trial);
  return trials;
}

const minimal = `
tasks:
  - id: a
    intent: says hello
    inputs: { instruction: Say hello }
metrics:
  - type: exact_match
`;

describe("a YAML suite", () => {
  it("has every key of the written form", async () => {
    const suite = await load("checkout.yaml", {
      "checkout.yaml": `
name: shop
tasks:
  - id: a
    intent: says hello
    inputs: { instruction: Say hello, timeout_s: 1, __proto__: { x: 1 }, constructor: c }
    reference: { answer: hello }
    metrics:
      - { type: f1, candidate_path: x }
    views:
      total: { reducer: weighted_mean, signals: [{ metric: f1, output: score, weight: 2 }, { metric: exact_match, output: score }] }
    metadata: { difficulty: easy }
  - { id: b, intent: "", inputs: {} }
target: { kind: stand_in, model: m-1 }
trials_per_task: 3
metrics: [{ type: exact_match, reference: "{{ item.reference.answer }}" }]
max_concurrent_tasks: 7
fail_fast: true
labels: { benchmark: shop }
secrets: [OPENAI_API_KEY, { name: SHORT_ONE, allow_short: true }]
`,
    });

    const { tasks, target, code, baseDir, ...rest } = suite;
    expect(rest).toEqual({
      name: "shop",
      baseName: "checkout",
      tasksFrom: null,
      importedTrials: null,
      importedFrom: null,
      trialsPerTask: 3,
      concurrency: 7,
      scoringConcurrency: 7,
      failFast: true,
      labels: { benchmark: "shop" },
      secrets: [
        { name: "OPENAI_API_KEY", allowShort: false },
        { name: "SHORT_ONE", allowShort: true },
      ],
      parameters: {},
    });
    expect(target?.runnerInfo().config).toEqual({ model: "m-1" });
    expect(code?.files.map(({ path }) => path)).toEqual(["checkout.yaml"]);
    expect(
      tasks.map(({ id, metrics }) => [id, metrics.map(({ type, config }) => [type, config])]),
    ).toEqual([
      [
        "a",
        [
          ["f1", { candidate_path: "x" }],
          ["exact_match", { reference: "{{ item.reference.answer }}" }],
        ],
      ],
      ["b", [["exact_match", { reference: "{{ item.reference.answer }}" }]]],
    ]);
    expect(Object.keys(tasks[0]!.inputs)).toEqual([
      "instruction",
      "timeout_s",
      "__proto__",
      "constructor",
    ]);
    expect(Object.getPrototypeOf(tasks[0]!.inputs)).toBe(Object.prototype);
    expect(tasks[0]!.views).toEqual({
      total: {
        reducer: "weighted_mean",
        signals: [
          { metric: "f1", output: "score", weight: 2 },
          { metric: "exact_match", output: "score", weight: null },
        ],
      },
    });
  });

  it("takes its name from the file when it says none", async () => {
    expect((await load("shop.eval.yml", { "shop.eval.yml": minimal })).name).toBe("shop");
  });

  it("may be JSON with the same keys", async () => {
    const text = JSON.stringify({
      tasks: [{ id: "a", intent: "", inputs: { n: 1 } }],
      metrics: [{ type: "f1" }],
      trials_per_task: 2,
    });
    const { tasks, trialsPerTask } = await load("s.json", { "s.json": `\uFEFF${text}` });

    expect(tasks.map(({ id, inputs }) => ({ id, inputs }))).toEqual([
      { id: "a", inputs: { n: 1 } },
    ]);
    expect(trialsPerTask).toBe(2);
  });

  it.each([["tasks: { jsonl: data/t.jsonl }"], ["tasks: data/t.jsonl"]])(
    "may take its tasks from a file: %s",
    async (tasks) => {
      const { tasks: loaded, code } = await load("s.yaml", {
        "s.yaml": `${tasks}\nmetrics: [{ type: f1 }]`,
        "data/t.jsonl": `{"id":"a","intent":"","inputs":{}}\n`,
      });

      expect(loaded.map(({ id }) => id)).toEqual(["a"]);
      expect(code?.files.map(({ path }) => path)).toEqual(["s.yaml"]);
    },
  );

  const trial = {
    id: "t",
    task_id: "a",
    status: "completed",
    output: { output_text: "hi", metadata: { camelCase: 1 } },
  };

  it.each([
    ["rows", JSON.stringify([trial])],
    ["a path", "t.jsonl"],
    ["a file reference", "{ jsonl: t.jsonl }"],
  ])("may take trials made elsewhere as %s", async (_name, trials) => {
    const { importedTrials, target } = await load("s.yaml", {
      "s.yaml": `${minimal}trials: ${trials}`,
      "t.jsonl": `${JSON.stringify(trial)}\n`,
    });

    expect(target).toBeNull();
    expect(await trialsOf(importedTrials, "a")).toMatchObject([
      { id: "t", taskId: "a", output: { outputText: "hi", metadata: { camelCase: 1 } } },
    ]);
  });

  it("counts as code, with the bytes that were read", async () => {
    const { code } = await load("s.yaml", { "s.yaml": minimal });

    expect(code?.files).toEqual([{ path: "s.yaml", sha256: sha256Hex(minimal) }]);
  });
});

describe("a YAML or JSON suite that is wrong is refused with the line of the problem", () => {
  const cases: readonly [string, Record<string, string>, string, string][] = [
    [
      "syntax",
      { "s.yaml": "tasks:\n  - id: [a\n" },
      "ASSAY_SUITE_LOAD_FAILED",
      "s.yaml:3:1: syntax error: Flow sequence in block collection must be",
    ],
    [
      "the same key twice",
      { "s.yaml": `${minimal}name: a\nname: b\n` },
      "ASSAY_SUITE_LOAD_FAILED",
      "s.yaml:9:1: this key is already there",
    ],
    [
      "two documents",
      { "s.yaml": `${minimal}---\nname: b\n` },
      "ASSAY_SUITE_LOAD_FAILED",
      "s.yaml:8:1: syntax error: Source contains multiple documents",
    ],
    [
      "an unknown tag",
      { "s.yaml": `${minimal}name: !env HOME\n` },
      "ASSAY_SUITE_LOAD_FAILED",
      "s.yaml:8:7: syntax error: Unresolved tag: !env",
    ],
    [
      "JSON syntax",
      { "s.json": `{\n  "tasks": [],\n}` },
      "ASSAY_SUITE_LOAD_FAILED",
      "s.json:3:1: syntax error: ",
    ],
    [
      "JSON that ends early",
      { "s.json": `{\n  "tasks": [` },
      "ASSAY_SUITE_LOAD_FAILED",
      "s.json:2:13: syntax error: Unexpected end of JSON input",
    ],
    [
      "YAML in a JSON file",
      { "s.json": "tasks: []" },
      "ASSAY_SUITE_LOAD_FAILED",
      "s.json: syntax error: Unexpected token 'a', \"tasks: []\"",
    ],
    [
      "the same JSON key twice",
      { "s.json": `{\n  "tasks": [],\n  "tasks": []\n}` },
      "ASSAY_SUITE_LOAD_FAILED",
      "s.json:3:3: this key is already there",
    ],
    [
      "a list",
      { "s.yaml": "- a\n" },
      "ASSAY_SUITE_INVALID",
      "s.yaml:1:1: the suite is an array; expected the keys tasks, target, metrics",
    ],
    ["an empty file", { "s.yaml": "" }, "ASSAY_SUITE_INVALID", "s.yaml:1:1: the suite is null"],
    [
      "an unknown key",
      { "s.yaml": `${minimal}benchmark: x\n` },
      "ASSAY_CONFIG_UNKNOWN_KEY",
      `s.yaml:8:1: unknown key "benchmark"; known here: name, tasks`,
    ],
    [
      "a misspelt key",
      { "s.yaml": `${minimal}lables: {}\n` },
      "ASSAY_CONFIG_UNKNOWN_KEY",
      `s.yaml:8:1: unknown key "lables" (did you mean "labels"?)`,
    ],
    [
      "a camelCase key",
      { "s.yaml": `${minimal}failFast: true\n` },
      "ASSAY_CONFIG_UNKNOWN_KEY",
      `s.yaml:8:1: unknown key "failFast" (did you mean "fail_fast"?)`,
    ],
    [
      "an unknown key of a task",
      { "s.yaml": "tasks:\n  - id: a\n    intent: ''\n    input: {}\nmetrics: [{ type: f1 }]" },
      "ASSAY_CONFIG_UNKNOWN_KEY",
      `s.yaml:4:5: unknown key "input" (did you mean "inputs"?)`,
    ],
    [
      "an unknown key of a view",
      {
        "s.yaml": `tasks: [{ id: a, intent: "", inputs: {}, metrics: [{ type: f1 }], views: { v: { reduce: all, signals: [] } } }]`,
      },
      "ASSAY_CONFIG_UNKNOWN_KEY",
      `s.yaml:1:81: unknown key "views.v.reduce" (did you mean "reducer"?)`,
    ],
    [
      "a number of trials under trials",
      { "s.yaml": `${minimal}trials: 3\n` },
      "ASSAY_SUITE_INVALID",
      "s.yaml:8:1: trials are rows made elsewhere; did you mean trials_per_task: 3?",
    ],
    [
      "a wrong value",
      { "s.yaml": `${minimal}trials_per_task: many\n` },
      "ASSAY_SUITE_INVALID",
      "s.yaml:8:1: trials_per_task: Invalid input: expected number, received string",
    ],
    [
      "an id that is a number",
      { "s.yaml": `tasks:\n  - { id: 1, intent: "", inputs: {} }\nmetrics: [{ type: f1 }]` },
      "ASSAY_TASK_INVALID",
      "s.yaml:2:7: id: Invalid input: expected string, received number",
    ],
    [
      "no tasks key",
      { "s.yaml": "name: s\n" },
      "ASSAY_SUITE_INVALID",
      "s.yaml:1:1: tasks is missing",
    ],
    [
      "tasks of another kind",
      { "s.yaml": "tasks: 3\n" },
      "ASSAY_SUITE_INVALID",
      "s.yaml:1:1: tasks is a number; expected a list, or the path of a JSONL file",
    ],
    ["no tasks", { "s.yaml": "tasks: []\n" }, "ASSAY_SUITE_INVALID", "s.yaml: tasks is empty"],
    [
      "an unknown runner",
      { "s.yaml": `${minimal}target:\n  kind: standin\n` },
      "ASSAY_NAME_UNKNOWN",
      `s.yaml:9:3: no runner is called "standin" (did you mean "stand_in"?); there is stand_in`,
    ],
    [
      "a runner called like a member of every object",
      { "s.yaml": `${minimal}target: { kind: constructor }\n` },
      "ASSAY_NAME_UNKNOWN",
      `s.yaml:8:11: no runner is called "constructor"`,
    ],
    [
      "a target without kind",
      { "s.yaml": `${minimal}target:\n  model: x\n` },
      "ASSAY_SUITE_INVALID",
      "s.yaml:8:1: kind: Invalid input: expected string, received undefined",
    ],
    [
      "an unknown option of the runner",
      { "s.yaml": `${minimal}target:\n  kind: stand_in\n  modle: x\n` },
      "ASSAY_CONFIG_UNKNOWN_KEY",
      `s.yaml:10:3: stand_in has no option "modle"`,
    ],
    [
      "an unknown metric",
      { "s.yaml": minimal.replace("exact_match", "exactmatch") },
      "ASSAY_NAME_UNKNOWN",
      `s.yaml:7:5: no metric is called "exactmatch"`,
    ],
    [
      "an unknown metric of a task",
      {
        "s.yaml": `tasks:\n  - id: a\n    intent: ''\n    inputs: {}\n    metrics:\n      - type: f2\n`,
      },
      "ASSAY_NAME_UNKNOWN",
      `s.yaml:6:9: no metric is called "f2"`,
    ],
    [
      "a metric without a type",
      { "s.yaml": minimal.replace("type: exact_match", "name: x") },
      "ASSAY_CONFIG_INVALID",
      "s.yaml:7:5: metrics[0]: type: Invalid input: expected string, received undefined",
    ],
    [
      "the same metric twice",
      { "s.yaml": `${minimal}  - type: exact_match` },
      "ASSAY_SUITE_INVALID",
      `s.yaml:6:1: metrics has more than one metric of type "exact_match"`,
    ],
    [
      "a target and trials",
      { "s.yaml": `${minimal}target: { kind: stand_in }\ntrials: []\n` },
      "ASSAY_SUITE_INVALID",
      "s.yaml:9:1: give a target or trials, not both",
    ],
    [
      "a missing file of tasks",
      { "s.yaml": "tasks: gone.jsonl\nmetrics: [{ type: f1 }]" },
      "ASSAY_SUITE_INVALID",
      `s.yaml: there is no file "gone.jsonl"`,
    ],
    [
      "an imported trial that is wrong",
      { "s.yaml": `${minimal}trials:\n  - { id: t, task_id: a, status: done }\n` },
      "ASSAY_TRIALS_INVALID",
      "s.yaml:9:26: status: Invalid option",
    ],
    [
      "a secret's value",
      { "s.yaml": `${minimal}secrets: [sk-live-1]\n` },
      "ASSAY_SUITE_INVALID",
      "s.yaml:8:11: secrets[0]: must be the name of an environment variable",
    ],
  ];

  it.each(cases)("%s", async (_name, files, code, message) => {
    const error = await loadError(Object.keys(files)[0]!, files);

    expect(error.message.slice(0, message.length)).toBe(message);
    expect(error.code).toBe(code);
    expect(error.remedy).not.toMatch(/defineSuite|[Ee]xport|importedTrials|Implement/);
  });

  it.each([
    ["in itself", "tasks: []\n", "tasks is empty", "Add a task."],
    ["in its file", "tasks: rows.jsonl\n", 'there is no task in "rows.jsonl"', "to it"],
    [
      "in its dataset",
      "tasks: { jsonl: rows.jsonl, format: gym }\n",
      'there is no task in "rows.jsonl"',
      "Add a task to it, or name another.",
    ],
  ])("no tasks %s, with what to do", async (_where, suite, message, remedy) => {
    const error = await loadError("s.yaml", { "s.yaml": suite, "rows.jsonl": "\n" });

    expect(error).toMatchObject({
      code: "ASSAY_SUITE_INVALID",
      message: `s.yaml: ${message}; a suite needs at least one task`,
      remedy: expect.stringContaining(remedy),
    });
  });

  it("parameters, which only a function takes", async () => {
    const error = await loadError("s.yaml", { "s.yaml": minimal }, { a: "1" });

    expect(error).toMatchObject({
      code: "ASSAY_USAGE",
      message: `s.yaml takes no parameters, but "a" was given`,
      remedy: "Leave -P out: only a suite in TypeScript or JavaScript takes parameters.",
    });
  });
});

it("says of a line of a file that is no JSON how a line must be", async () => {
  const error = await loadError("s.yaml", {
    "s.yaml": "tasks: t.jsonl\nmetrics: [{ type: f1 }]\n",
    "t.jsonl": "{",
  });

  expect(error.message).toContain("t.jsonl:1");
  expect(error.remedy).toContain("one JSON object");
});
