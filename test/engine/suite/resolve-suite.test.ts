import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { describe, expect, it } from "vitest";

import { resolveSuite } from "../../../packages/assay/src/engine/suite/resolve-suite.ts";
import type { Suite } from "../../../packages/assay/src/engine/suite/suite.ts";
import { AssayError } from "../../../packages/assay/src/errors/assay-error.ts";
import { loadRequest, suiteFolder, testMetric, testRunner } from "./suite-folder.ts";

const task = (id: unknown = "a", more: object = {}) => ({ id, intent: "", inputs: {}, ...more });

async function resolve(definition: unknown, files: Record<string, string> = {}): Promise<Suite> {
  return await resolveSuite(definition, {
    ...loadRequest,
    baseName: "shop",
    baseDir: suiteFolder(files),
  });
}

async function problemOf(
  definition: unknown,
  files: Record<string, string> = {},
): Promise<AssayError> {
  const thrown: unknown = await resolve(definition, files).then(
    () => null,
    (error) => error,
  );
  if (!AssayError.isInstance(thrown)) throw new Error("expected an AssayError", { cause: thrown });
  return thrown;
}

describe("a suite defined in code", () => {
  it("keeps 300 bytes of a task beside its texts, for there may be 100,000 of them", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const inUse = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const given = Array.from({ length: 20_000 }, (_, index) =>
      task(`task-${index}`, { inputs: { n: index }, reference: { answer: index } }),
    );
    const definition = { name: "s", metrics: [testMetric("m")], target: testRunner() };
    await resolve({ ...definition, tasks: [task()] });
    const before = inUse();

    const suite = await resolve({ ...definition, tasks: given });

    expect((inUse() - before) / given.length).toBeLessThan(300);
    expect(suite.tasks).toHaveLength(given.length);
  });

  it("fills in the defaults", async () => {
    const target = testRunner();
    const { tasks, baseDir, ...rest } = await resolve({
      name: "s",
      tasks: [task()],
      metrics: [testMetric("m")],
      target,
    });

    expect(tasks).toHaveLength(1);
    expect(rest).toEqual({
      name: "s",
      baseName: "shop",
      target,
      importedTrials: null,
      importedFrom: null,
      tasksFrom: null,
      trialsPerTask: 1,
      concurrency: 4,
      scoringConcurrency: 4,
      failFast: false,
      labels: {},
      secrets: [],
      parameters: {},
      code: null,
    });
  });

  it.each([
    ["an array", [task("a"), task("b")]],
    ["a set", new Set([task("a"), task("b")])],
    [
      "a generator",
      (function* () {
        yield task("a");
        yield task("b");
      })(),
    ],
    [
      "an async generator",
      (async function* () {
        yield task("a");
        yield task("b");
      })(),
    ],
    ["a file", { jsonl: "tasks.jsonl" }],
  ])("takes tasks from %s", async (_name, tasks) => {
    const { tasks: resolved } = await resolve(
      { name: "s", tasks, metrics: [testMetric("m")] },
      {
        "tasks.jsonl": `${JSON.stringify(task("a"))}\n${JSON.stringify(task("b"))}\n`,
      },
    );

    expect(resolved.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("adds a suite metric to each task that has none of its type", async () => {
    const own = testMetric("x", { own: true });
    const { tasks } = await resolve({
      name: "s",
      tasks: [task("a", { metrics: [own] }), task("b")],
      metrics: [testMetric("x"), testMetric("y")],
    });

    expect(tasks.map(({ metrics }) => metrics.map(({ type, config }) => [type, config]))).toEqual([
      [
        ["x", { own: true }],
        ["y", {}],
      ],
      [
        ["x", {}],
        ["y", {}],
      ],
    ]);
  });

  it("accepts scorer functions as metrics, one metric for each function", async () => {
    const exact = ({ output, expected }: { output: unknown; expected: unknown }) => ({
      name: "Exact",
      score: output === expected ? 1 : 0,
    });
    const { tasks } = await resolve({
      name: "s",
      tasks: [task("a", { metrics: [exact] }), task("b", { metrics: [exact] })],
    });

    expect(tasks[0]!.metrics[0]).toMatchObject({
      type: "exact",
      outputs: [{ name: "exact" }],
    });
    expect(tasks[1]!.metrics[0]).toBe(tasks[0]!.metrics[0]);
  });

  it("keeps keys called like members of every object", async () => {
    const inputs = JSON.parse(`{ "__proto__": { "a": 1 }, "constructor": "c", "toString": 1 }`);
    const { tasks } = await resolve({
      name: "s",
      tasks: [task("constructor", { inputs })],
      metrics: [testMetric("__proto__")],
    });

    expect(JSON.stringify(tasks[0]!.inputs)).toBe(JSON.stringify(inputs));
  });

  it("shares one metric between the rows of a file that have the same settings", async () => {
    const row = (id: string) => JSON.stringify(task(id, { metrics: [{ type: "f1", b: 1, a: 2 }] }));
    const { tasks } = await resolve(
      { name: "s", tasks: { jsonl: "t.jsonl" } },
      { "t.jsonl": `${row("a")}\n${row("b")}` },
    );

    expect(tasks[1]!.metrics[0]).toBe(tasks[0]!.metrics[0]);
  });
});

describe("a JSONL file of tasks", () => {
  const row = (id: string) => JSON.stringify(task(id));

  it("may have a byte-order mark, CRLF, blank lines and no last newline", async () => {
    const text = `\uFEFF${row("a")}\r\n\r\n   \n${row("b")}\n\n${row("c")}`;
    const { tasks } = await resolve(
      { name: "s", tasks: { jsonl: "t.jsonl" }, metrics: [testMetric("m")] },
      { "t.jsonl": text },
    );

    expect(tasks.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  });

  it.each([
    ["broken JSON", "{", `t.jsonl:5 is not JSON`],
    ["another value", "3", "t.jsonl:5: Invalid input: expected object, received number"],
    [
      "an unknown key",
      `{ "id": "c", "intent": "", "input": {} }`,
      `t.jsonl:5: unknown key "input" (did you mean "inputs"?)`,
    ],
    [
      "a camelCase metric list",
      `{ "id": "c", "intent": "", "inputs": {}, "metrics": [{ "type": "nope" }] }`,
      `t.jsonl:5: metrics[0]: no metric is called "nope"`,
    ],
    [
      "an id that is used already",
      row("a"),
      `t.jsonl:5: the task id "a" is already used at t.jsonl:1`,
    ],
  ])("tells %s by the physical line", async (_name, line, message) => {
    const text = `${row("a")}\r\n\n${row("b")}\n\n${line}\n`;
    const error = await problemOf(
      { name: "s", tasks: { jsonl: "t.jsonl" }, metrics: [testMetric("m")] },
      { "t.jsonl": text },
    );

    expect(error.message).toContain(`suite "shop": ${message}`);
  });
});

describe("tasks that break a rule are refused before anything runs", () => {
  const metrics = [testMetric("m")];
  const view = (metric: string, output: string) => ({
    views: { v: { reducer: "single", signals: [{ metric, output }] } },
  });
  const cases: readonly [string, unknown, string, string][] = [
    [
      "a duplicate id",
      { tasks: [task("a"), task("b"), task("a")], metrics },
      "ASSAY_TASK_DUPLICATE",
      `tasks[2]: the task id "a" is already used at tasks[0]`,
    ],
    [
      "an id that is a number",
      { tasks: [task("1"), task(1)], metrics },
      "ASSAY_TASK_INVALID",
      "tasks[1]: id: Invalid input: expected string, received number",
    ],
    [
      "an empty id",
      { tasks: [task("")], metrics },
      "ASSAY_TASK_INVALID",
      "tasks[0]: id: must not be empty",
    ],
    [
      "a task that is no object",
      { tasks: ["a"], metrics },
      "ASSAY_TASK_INVALID",
      "tasks[0] is a string, not a task",
    ],
    [
      "a task without inputs",
      { tasks: [{ id: "a", intent: "" }], metrics },
      "ASSAY_TASK_INVALID",
      "tasks[0]: inputs: expected an object of JSON data",
    ],
    [
      "inputs that are no data",
      { tasks: [task("a", { inputs: { when: new Date(0) } })], metrics },
      "ASSAY_TASK_INVALID",
      "tasks[0]: inputs: expected JSON data, but when is an instance of Date",
    ],
    [
      "an unknown key",
      { tasks: [task("a", { refrence: {} })], metrics },
      "ASSAY_CONFIG_UNKNOWN_KEY",
      `tasks[0]: unknown key "refrence" (did you mean "reference"?)`,
    ],
    [
      "no metric",
      { tasks: [task("a")] },
      "ASSAY_TASK_INVALID",
      `tasks[0] ("a"): no metric; give the task or the suite at least one`,
    ],
    [
      "two metrics of one type",
      {
        tasks: [
          task("a", {
            metrics: [testMetric("z"), testMetric("y"), testMetric("z"), testMetric("y")],
          }),
        ],
      },
      "ASSAY_SUITE_INVALID",
      `tasks[0] ("a"): metrics has more than one metric of type "y", "z"`,
    ],
    [
      "a metric that is none",
      { tasks: [task("a", { metrics: [{ type: "exact_match" }] })] },
      "ASSAY_CONFIG_INVALID",
      `tasks[0] ("a"): metrics[0]: the metric "exact_match" has no \`compute\` function`,
    ],
    [
      "a metric by name",
      { tasks: [task()], metrics: ["exact_match"] },
      "ASSAY_CONFIG_INVALID",
      "metrics[0]: a string is no metric",
    ],
    [
      "a scorer without a name",
      { tasks: [task()], metrics: [(() => () => ({ name: "x", score: 1 }))()] },
      "ASSAY_CONFIG_INVALID",
      "metrics[0]: a scorer function needs a name, and this one has none",
    ],
    [
      "a view on an unknown metric",
      { tasks: [task("a", view("n", "score"))], metrics },
      "ASSAY_TASK_INVALID",
      `tasks[0] ("a"): views.v.signals[0]: the task has no metric "n" (did you mean "m"?); it has m`,
    ],
    [
      "a view on an unknown output",
      { tasks: [task("a", view("m", "scores"))], metrics },
      "ASSAY_TASK_INVALID",
      `tasks[0] ("a"): views.v.signals[0]: the metric "m" has no output "scores" (did you mean "score"?); it gives score`,
    ],
    [
      "a view without signals",
      { tasks: [task("a", { views: { v: { reducer: "all", signals: [] } } })], metrics },
      "ASSAY_TASK_INVALID",
      "tasks[0]: views.v.signals: Too small",
    ],
    [
      "no task",
      { tasks: [], metrics },
      "ASSAY_SUITE_INVALID",
      "tasks is empty; a suite needs at least one task",
    ],
    [
      "tasks of another kind",
      { tasks: "t.jsonl", metrics },
      "ASSAY_SUITE_INVALID",
      `tasks must be an array, an iterable, { jsonl: "<path>" } or { directory: "<path>", format: "harbor" }, not a string`,
    ],
  ];

  it.each(cases)("%s", async (_name, parts, code, message) => {
    const error = await problemOf({ name: "s", ...(parts as object) });

    expect(error.message.slice(0, message.length + 14)).toBe(`suite "shop": ${message}`);
    expect(error.code).toBe(code);
  });

  it("all at once: five are shown and the rest is counted", async () => {
    const tasks = [...Array.from({ length: 7 }, (_, index) => task(index)), task("fine")];
    const { message } = await problemOf({ name: "s", tasks, metrics });

    const lines = message.split("\n");
    expect(lines[0]).toBe(`suite "shop": 7 tasks have problems`);
    expect(lines.slice(1)).toEqual([
      ...[0, 1, 2, 3, 4].map(
        (index) => `  tasks[${index}]: id: Invalid input: expected string, received number`,
      ),
      "  and 2 more",
    ]);
  });
});
