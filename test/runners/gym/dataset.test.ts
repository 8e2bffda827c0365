import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { load, loadError } from "../../engine/suite/suite-folder.ts";
import { sharedFixtures } from "../../support/tools.ts";

const yaml = "tasks: { jsonl: data/rows.jsonl, format: gym }\nmetrics: [{ type: f1 }]\n";
const row = (content: string) => `{"responses_create_params":{"input":${JSON.stringify(content)}}}`;

async function tasksOf(rows: string) {
  const { tasks, notices = [] } = await load("s.yaml", { "s.yaml": yaml, "data/rows.jsonl": rows });
  return { tasks, notices };
}

describe("a suite whose tasks are rows of a Gym dataset", () => {
  it("has a task per row; equal rows are one, which is told", async () => {
    const { tasks, notices } = await tasksOf(
      `${row("a")}\n\n${row("b")}\r\n${row("a").replace("{", '{"_ng_task_index":2,')}`,
    );

    expect(tasks.map(({ inputs }) => inputs["instruction"])).toStrictEqual(["a", "b"]);
    expect(tasks[0]?.metadata).toMatchObject({ gym_dataset_path: "data/rows.jsonl" });
    expect(notices).toStrictEqual(["row 3 of data/rows.jsonl equals row 1: they are one task"]);
  });

  it.each([
    ["{}", "row 2 of data/rows.jsonl has no 'responses_create_params' mapping"],
    ["{", "data/rows.jsonl:2 is not JSON"],
  ])("is refused for a row of %s", async (bad, problem) => {
    const error = await loadError("s.yaml", {
      "s.yaml": yaml,
      "data/rows.jsonl": `${row("a")}\n${bad}\n`,
    });

    expect(error.code).toMatch(/^ASSAY_(SUITE|TASK|CONFIG)_INVALID$/);
    expect(error.message).toContain(problem);
  });

  it.each([
    [yaml, 's.yaml: there is no file "data/rows.jsonl"'],
    [yaml.replace("gym", "gim"), "format"],
  ])("is refused where the file is not there, or the format: %s", async (suite, problem) => {
    const error = await loadError("s.yaml", { "s.yaml": suite });

    expect(error.code).toMatch(/^ASSAY_(SUITE|TASK|CONFIG)_INVALID$/);
    expect(error.message).toContain(problem);
  });

  it.each([
    ["mcqa_example.jsonl", 5, "options", /^You should output your final response letter/],
    ["single_tool_call_example.jsonl", 5, null, /what's it like in sf\?$/],
    ["toolsandbox_promptless_example.jsonl", 5, "task_idx", null],
  ] as const)("takes the recorded %s", async (name, count, extra, instruction) => {
    const { tasks, notices } = await tasksOf(readFileSync(sharedFixtures(`gym/${name}`), "utf8"));

    expect(notices).toStrictEqual([]);
    expect(tasks).toHaveLength(count);
    const [first] = tasks;
    if (extra !== null) expect(first?.metadata["gym_row_extras"]).toHaveProperty(extra);
    if (instruction === null) expect(first?.inputs).not.toHaveProperty("instruction");
    else expect(first?.inputs["instruction"]).toMatch(instruction);
  });
});
