import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { assay } from "../../cli/e2e/assay-process.ts";
import { load, loadError } from "../../engine/suite/suite-folder.ts";
import { folder, standInPath, writeTask } from "./harbor-kit.ts";

const metrics = "metrics: [{ type: f1 }]\n";
const dataset = {
  "ds/b/task.toml": '[task]\nname = "acme/b"\n',
  "ds/b/instruction.md": "Do b.\n",
  "ds/a/task.toml": "",
  "ds/c/task.toml": "",
};
const yaml = (tasks: string) => ({ ...dataset, "s.yaml": `tasks: ${tasks}\n${metrics}` });

describe("a suite whose tasks are a Harbor dataset", () => {
  it("has a task per folder, with what the agent is told and where it lies", async () => {
    const suite = await load("s.yaml", yaml("{ directory: ds, format: harbor }"));

    expect(suite.tasksFrom).toBe("ds");
    expect(suite.tasks.map(({ id }) => id)).toStrictEqual(["a", "acme/b", "c"]);
    expect(suite.tasks[1]).toMatchObject({
      intent: "acme/b",
      inputs: { instruction: "Do b." },
      metadata: { harbor_dataset_path: "ds", harbor_task_dir: "ds/b" },
      metrics: [{ type: "f1" }],
    });
  });

  it("is the same in a module, and takes the folders that are named", async () => {
    const module = `
      import { defineSuite } from "assay";
      import { harborReward } from "assay/metrics";
      export default defineSuite({
        name: "s",
        tasks: { directory: "ds", format: "harbor", taskNames: ["b"] },
        metrics: [harborReward()],
      });`;
    const written = await load(
      "s.yaml",
      yaml("{ directory: ds, format: harbor, task_names: [b] }"),
    );
    const made = await load("s.eval.ts", { ...dataset, "s.eval.ts": module });

    expect(written.tasks.map(({ id }) => id)).toStrictEqual(["acme/b"]);
    const plain = ({ id, inputs, metadata }: (typeof made.tasks)[number]) => ({
      id,
      inputs,
      metadata,
    });
    expect(made.tasks.map(plain)).toStrictEqual(written.tasks.map(plain));
    expect(made.tasksFrom).toBe("ds");
  });

  it.each<[string, string, string]>([
    ["{ directory: none, format: harbor }", "ASSAY_TASK_INVALID", 'none" is not there'],
    ["{ directory: ds/a/task.toml, format: harbor }", "ASSAY_TASK_INVALID", "is no directory"],
    ["{ directory: ., format: harbor }", "ASSAY_TASK_INVALID", "holds no folder with a task.toml"],
    ["{ directory: ds }", "ASSAY_SUITE_INVALID", "s.yaml:1:1: format"],
    ["{ directory: ds, format: gym }", "ASSAY_SUITE_INVALID", "format"],
    ["{ directory: ds, format: harbor, task_names: [] }", "ASSAY_SUITE_INVALID", "task_names"],
    [
      "{ directory: ds, format: harbor, task_names: [zz, B] }",
      "ASSAY_TASK_INVALID",
      'has no folder "zz", "B" (did you mean "b"?)',
    ],
    [
      "{ directory: ds, format: harbor, taskNames: [a] }",
      "ASSAY_CONFIG_UNKNOWN_KEY",
      'did you mean "task_names"',
    ],
    ["{ directory: ds, jsonl: x, format: harbor }", "ASSAY_CONFIG_UNKNOWN_KEY", "jsonl"],
  ])("is refused for %s", async (tasks, code, message) => {
    const error = await loadError("s.yaml", yaml(tasks));

    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(error.message).toMatch(/^s\.yaml/);
  });

  it("is told by the folders of its tasks", async () => {
    const twice = { "ds/d/task.toml": '[task]\nname = "acme/b"\n' };
    const tasks = "tasks: { directory: ds, format: harbor }\n";
    const alike = await loadError("s.yaml", { ...dataset, ...twice, "s.yaml": tasks + metrics });
    const bare = await loadError("s.yaml", { ...dataset, "s.yaml": tasks });

    expect(alike.message).toContain('ds/d: the task id "acme/b" is already used at ds/b');
    expect(bare.message).toContain('\n  ds/b ("acme/b"): no metric');
  });

  it("is what is told to one who names the folder alone", async () => {
    const error = await loadError("s.yaml", yaml("ds"));

    expect(error.message).toContain('"ds" is a directory');
    expect(error.remedy).toContain('{ directory: "<path>", format: "harbor" }');
  });

  it("is run to its scores without any code, and its place is in the provenance", async () => {
    const root = folder();
    for (const name of ["one", "two"]) writeTask(join(root, "ds"), name);
    const suite = `
tasks: { directory: ds, format: harbor }
target: { kind: harbor, agent_name: nop }
metrics: [{ type: harbor_reward }]
`;
    writeFileSync(join(root, "suite.yaml"), suite);

    const ended = await assay(["run", "suite.yaml", "--out", "run"], {
      cwd: root,
      env: { PATH: standInPath },
    });

    expect([ended.exitCode, ended.stderr]).toStrictEqual([0, expect.anything()]);
    const read = (file: string) => readFileSync(join(root, "run", file), "utf8").trim();
    const rows = read("trials.jsonl").split("\n");
    expect(rows.map((row) => JSON.parse(row).metadata.reward)).toStrictEqual([1, 1]);
    expect(JSON.parse(read("provenance.json")).predicate.tasks).toMatchObject({
      count: 2,
      location: "ds",
    });
  });
});
