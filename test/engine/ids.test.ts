import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { readBundle } from "assay";
import { callable } from "assay/runners";
import { describe, expect, it } from "vitest";
import { completed, constant, metric, runner, runTarget, storedRows, task } from "./run-kit.ts";

const ids = [
  "../x",
  "../../../../etc/passwd",
  "/absolute",
  "a/b",
  "a\\b",
  "CON",
  "nul.txt",
  "x".repeat(300),
  "A",
  "a",
  "__proto__",
  "constructor",
  "emoji 🦘",
  "new\nline",
  ".",
  "..",
  " ",
  "é",
  "e\u0301",
  "-rf",
  "t:1",
];

const writer = callable({
  name: "writer",
  agent: ({ id }, { workspace }) => {
    writeFileSync(join(workspace, "id.txt"), id);
    return id;
  },
});

const reader = metric("reader", async ({ candidate, row }) => {
  const files = await candidate.evidence.filesystem("final_state");
  return { outputs: { score: (await files.readText("id.txt")) === row.task.id ? 1 : 0 } };
});

describe("ids that are no file names", () => {
  it("stay as they are in rows, and each gets a folder of its own inside the bundle", async () => {
    const { rows, result, workDir, root, leftovers } = await runTarget(writer, {
      tasks: ids.map((id) => task(id)),
      metrics: [reader],
      config: { trialsPerTask: 2 },
    });

    expect(result).toMatchObject({ status: "completed", exitCode: 0 });
    expect(rows.trials.map(({ taskId }) => taskId).sort()).toEqual([...ids, ...ids].sort());
    expect(rows.scores.every(({ outputs }) => outputs[0]?.value === 1)).toBe(true);
    const folders = rows.trials.map(
      ({ evidence }) => evidence?.descriptors["final_state"]?.ref ?? "",
    );
    expect(new Set(folders.map((folder) => folder.toLowerCase())).size).toBe(ids.length * 2);
    for (const folder of folders) {
      const full = join(workDir, folder);
      expect(relative(workDir, full)).toMatch(/^evidence\//);
      expect(existsSync(join(full, "id.txt"))).toBe(true);
    }
    expect(readdirSync(root).sort()).toEqual(["run", "scratch"]);
    expect(leftovers()).toEqual([]);
  });

  it("have names that every file system takes", async () => {
    const { workDir } = await runTarget(writer, { tasks: ids.map((id) => task(id)) });

    for (const path of readdirSync(join(workDir, "evidence"), { recursive: true }) as string[]) {
      expect(lstatSync(join(workDir, "evidence", path)).isSymbolicLink()).toBe(false);
      for (const name of path.split("/")) {
        expect(name).toMatch(/^[A-Za-z0-9._-]{1,140}$/);
        expect(name).not.toMatch(/^(con|nul)(\.|$)/i);
      }
    }
  });

  it("may be ids of trials as well", async () => {
    const { rows, workDir } = await runTarget(
      runner(async function* (_plan, { scratch }) {
        for (const [trialIndex, id] of ids.entries()) {
          const file = join(scratch, `file-${trialIndex}`);
          writeFileSync(file, id);
          yield completed("t0", trialIndex, { id, evidence: evidenceOf(file) });
        }
      }),
      { config: { trialsPerTask: ids.length } },
    );

    expect(rows.trials.map(({ id }) => id).sort()).toEqual([...ids].sort());
    for (const { id, evidence } of rows.trials) {
      const ref = evidence?.descriptors["file"]?.ref ?? "";
      expect(readFileSync(join(workDir, ref), "utf8")).toBe(id);
    }
    expect((await readBundle(workDir)).summary.trialCount).toBe(ids.length);
  });

  it("may be names of evidence and keys of data, `__proto__` among them", async () => {
    const data = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}');
    const { rows, workDir } = await runTarget(
      runner(async function* (_plan, { scratch }) {
        const descriptors = JSON.parse('{"__proto__": null, "a/b": null, "A/b": null, "..": null}');
        for (const [index, name] of Object.keys(descriptors).entries()) {
          const file = join(scratch, `file-${index}`);
          writeFileSync(file, name);
          Object.defineProperty(descriptors, name, { value: evidenceOf(file).descriptors.file });
        }
        yield completed("t0", 0, {
          metadata: data,
          output: { outputText: "yes", response: data, metadata: {} },
          evidence: { descriptors, metadata: {} },
        });
      }),
      { tasks: [task("t0", { inputs: { instruction: "x", ...data }, metadata: data })] },
    );

    expect(storedRows(workDir, "trials.jsonl")).toMatchObject([
      { metadata: { constructor: 1 }, output: { response: { constructor: 1 } } },
    ]);
    expect(Object.keys(rows.trials[0]?.metadata ?? {})).toEqual(["__proto__", "constructor"]);
    expect(Object.keys(rows.trials[0]?.evidence?.descriptors ?? {})).toEqual([
      "__proto__",
      "a/b",
      "A/b",
      "..",
    ]);
    const files = storedRows(workDir, "evidence.jsonl").map(({ path }) => String(path));
    expect(new Set(files.map((path) => path.toLowerCase())).size).toBe(4);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("a label, a parameter or a metric called __proto__", () => {
  it("is kept as data", async () => {
    const { workDir, result } = await runTarget(writer, {
      metrics: [{ ...constant(), type: "__proto__" }],
      config: { labels: JSON.parse('{"__proto__": "label"}') as Record<string, string> },
    });

    expect(Object.entries(result.metadata.labels)).toEqual([["__proto__", "label"]]);
    expect(Object.keys(result.summary.metricCoverage)).toEqual(["__proto__"]);
    expect(readFileSync(join(workDir, "plan.json"), "utf8")).toContain('"__proto__": {');
  });
});

function evidenceOf(ref: string) {
  return {
    descriptors: {
      file: { kind: "file", format: "text", ref, data: null, description: null, metadata: {} },
    },
    metadata: {},
  };
}
