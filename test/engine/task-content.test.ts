import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Metric } from "assay";
import {
  commandVerifier,
  exactMatch,
  f1,
  numberCheck,
  stringCheck,
  toolCalling,
} from "assay/metrics";
import { callable } from "assay/runners";
import { describe, expect, it } from "vitest";
import { bench, refusal, task } from "./run-kit.ts";

type Digests = Readonly<Record<string, string | null>>;

/** A suite with a seed from a file and a held-out folder for each task, in a folder that tests change. */
function project() {
  const here = bench({ env: { PATH: process.env["PATH"] ?? "" } });
  const write = (file: string, text: string) => {
    mkdirSync(join(here.root, file, ".."), { recursive: true });
    writeFileSync(join(here.root, file), text);
  };
  write("seed.txt", "seed");
  write("held-out/t0/check.sh", "exit 0");
  write("held-out/t1/check.sh", "exit 0");
  const files = { "a.txt": { kind: "path", path: "seed.txt" } };
  const run = async (name: string) =>
    await here.evaluator.run({
      tasks: ["t0", "t1"].map((id) => task(id, { inputs: { instruction: "go", files } })),
      metrics: [
        commandVerifier({ command: ["sh", "check.sh"], directory: "held-out/{{ item.task.id }}" }),
      ],
      target: callable({
        name: "agent",
        agent: () => "done",
      }),
      config: { workDir: join(here.root, name), baseDir: here.root },
    });
  const digests = async (name: string): Promise<Digests> => {
    await run(name);
    const text = readFileSync(join(here.root, name, "provenance.json"), "utf8");
    return (JSON.parse(text) as { predicate: { digests: Digests } }).predicate.digests;
  };
  return { ...here, write, run, digests };
}

describe("the bytes that tasks refer to", () => {
  it("are digested, the same for the same bytes", async () => {
    const { digests } = project();

    const first = await digests("one");
    const second = await digests("two");

    expect(first["content"]).toMatch(/^assay-content-v1:sha256:[0-9a-f]{64}$/);
    expect(second).toStrictEqual(first);
  });

  it.each([
    ["a seed", "seed.txt"],
    ["a held-out file", "held-out/t1/check.sh"],
    ["one held-out file more", "held-out/t1/more.sh"],
  ])("change the resolved digest and no other with %s", async (_what, file) => {
    const { digests, write } = project();
    const before = await digests("before");

    write(file, "exit 1");
    const after = await digests("after");

    expect(after["content"]).not.toBe(before["content"]);
    expect(after["resolved"]).not.toBe(before["resolved"]);
    expect({ ...after, content: "", resolved: "" }).toStrictEqual({
      ...before,
      content: "",
      resolved: "",
    });
  });

  it("that are not there for one task are found before anything is run", async () => {
    const here = bench({ env: {} });
    mkdirSync(join(here.root, "held-out/t0"), { recursive: true });
    let ran = 0;

    const error = await refusal(() =>
      here.evaluator.run({
        tasks: [task("t0"), task("t1")],
        metrics: [commandVerifier({ command: ["true"], directory: "held-out/{{ item.task.id }}" })],
        target: callable({
          name: "agent",
          agent: () => {
            ran += 1;
            return "done";
          },
        }),
        config: { workDir: here.workDir, baseDir: here.root },
      }),
    );

    expect(error).toMatchObject({ code: "ASSAY_CONFIG_INVALID", exitCode: 2 });
    expect(error.message).toContain('task "t1"');
    expect(ran).toBe(0);
    expect(existsSync(here.workDir)).toBe(false);
  });
});

describe("what templates of metrics need of a task", () => {
  const missing = "ASSAY_TEMPLATE_UNDEFINED";
  const invalid = "ASSAY_TEMPLATE_INVALID";
  const numbers = { operation: "equals" } as const;

  it.each<readonly [string, string, string, Metric]>([
    [
      "a key of the reference",
      missing,
      'did you mean "answer"',
      exactMatch({ reference: "{{ item.reference.anwser }}" }),
    ],
    [
      "a key of the inputs, in text",
      missing,
      "item.inputs.value",
      exactMatch({ reference: "the answer is {{ item.inputs.value }}" }),
    ],
    [
      "a key that a filter is applied to",
      missing,
      'did you mean "answer"',
      exactMatch({ reference: "{{ item.reference.anwser | lower }}" }),
    ],
    [
      "a key in a loop",
      missing,
      "row.b",
      exactMatch({
        reference: "{% for row in item.reference.rows %}{{ row.b }}{% endfor %}",
      }),
    ],
    [
      "a key that a template inside an object names",
      missing,
      'did you mean "answer"',
      toolCalling({
        reference: [{ function: { name: "{{ item.reference.anwser }}", arguments: {} } }],
      }),
    ],
    [
      "text, where the reference holds a number",
      invalid,
      "text is needed",
      exactMatch({ reference: "{{ item.reference.count }}" }),
    ],
    [
      "a number, where the reference holds a list",
      invalid,
      "text or a number is needed",
      numberCheck({
        ...numbers,
        leftTemplate: "{{ sample.output_text }}",
        rightTemplate: "{{ item.reference.rows }}",
      }),
    ],
    [
      "calls, where the reference holds text",
      "ASSAY_TASK_INVALID",
      'metric "tool-calling"',
      toolCalling({ reference: "{{ item.reference.answer }}" }),
    ],
  ])("is missed before anything is run: %s", async (_what, code, hint, metric) => {
    const here = bench();
    let ran = 0;

    const error = await refusal(() =>
      here.evaluator.run({
        tasks: [task("t0", { reference: { answer: "5", count: 5, rows: [{ a: "1" }] } })],
        metrics: [metric],
        target: callable({
          name: "agent",
          agent: () => {
            ran += 1;
            return "5";
          },
        }),
        config: { workDir: here.workDir },
      }),
    );

    expect(error.message).toContain(hint);
    expect(error).toMatchObject({ code, exitCode: 2 });
    expect(error.message).toContain('task "t0"');
    expect(ran).toBe(0);
    expect(existsSync(here.workDir)).toBe(false);
  });

  it("is no matter where a template may do without it", async () => {
    const here = bench();

    const result = await here.evaluator.run({
      tasks: [task("t0")],
      metrics: [exactMatch({ reference: "{{ item.reference.answer | default('5') }}" })],
      target: callable({ name: "agent", agent: () => "5" }),
      config: { workDir: here.workDir },
    });

    expect(result.summary.scores.scores[0]?.mean).toBe(1);
  });
});

describe("which metric settings belong to which task", () => {
  it("enter the digests of plan and tasks", async () => {
    const run = async (first: string, second: string) => {
      const here = bench();
      await here.evaluator.run({
        tasks: [
          task("a", { metrics: [exactMatch({ reference: first })] }),
          task("b", { metrics: [exactMatch({ reference: second })] }),
        ],
        target: callable({ name: "agent", agent: () => "1" }),
        config: { workDir: here.workDir },
      });
      const text = readFileSync(join(here.workDir, "provenance.json"), "utf8");
      return (JSON.parse(text) as { predicate: { digests: Digests } }).predicate.digests;
    };

    const [straight, again, swapped] = [
      await run("1", "2"),
      await run("1", "2"),
      await run("2", "1"),
    ];

    expect(again).toStrictEqual(straight);
    expect(swapped["tasks"]).not.toBe(straight["tasks"]);
    expect(swapped["plan"]).not.toBe(straight["plan"]);
    expect(swapped["settings"]).toBe(straight["settings"]);
  });

  it("is the same in whatever order a task or the suite names its metrics", async () => {
    const run = async (order: (metrics: Metric[]) => Metric[]) => {
      const here = bench({ env: { PATH: process.env["PATH"] ?? "" } });
      mkdirSync(join(here.root, "held"));
      writeFileSync(join(here.root, "held", "h.txt"), "h");
      const own = [exactMatch({ reference: "1" }), stringCheck(contains)];
      const verifier = commandVerifier({ command: ["true"], directory: "held" });
      await here.evaluator.run({
        tasks: [task("a", { metrics: order(own) }), task("b")],
        metrics: order([f1({ reference: "1" }), verifier]),
        target: callable({ name: "agent", agent: () => "1" }),
        config: { workDir: here.workDir, baseDir: here.root },
      });
      const text = readFileSync(join(here.workDir, "provenance.json"), "utf8");
      return (JSON.parse(text) as { predicate: { digests: Digests } }).predicate.digests;
    };

    expect(await run((metrics) => [...metrics].reverse())).toStrictEqual(
      await run((metrics) => metrics),
    );
  });
});

const contains = { operation: "contains", leftTemplate: "1", rightTemplate: "1" } as const;
