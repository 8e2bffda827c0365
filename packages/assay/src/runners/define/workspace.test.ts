import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { runTrials, startTrials } from "../../../../../test/support/run-trials.ts";
import { standInRunner } from "../../../../../test/support/stand-in-runner.ts";

const files = {
  "src/a.txt": "text",
  "b.bin": { kind: "inline", content: "AP8=", encoding: "base64" },
};

describe("the workspace of a trial", () => {
  it("holds the task's files before the agent runs, in the order of the task", async () => {
    const [trial] = await runTrials(
      standInRunner(async (_task, { workspace }) => {
        const { path, seededFiles } = await workspace();
        const bytes = readFileSync(join(path, "b.bin"));
        return {
          output: `${seededFiles.join(" ")}: ${readFileSync(join(path, "src/a.txt"), "utf8")} ${bytes.toString("hex")}`,
        };
      }),
      [{ inputs: { files } }],
    );

    expect(trial).toMatchObject({
      status: "completed",
      output: { outputText: "src/a.txt b.bin: text 00ff" },
      metadata: { seeded_files: ["src/a.txt", "b.bin"] },
    });
    expect(trial?.evidence?.descriptors["final_state"]).toMatchObject({
      kind: "filesystem",
      format: "dir",
      metadata: { role: "final_state" },
    });
  });

  it("is empty for a task without files, and the same at each call", async () => {
    const [trial] = await runTrials(
      standInRunner(async (_task, { workspace, workspaceSync }) => {
        const [first, second] = await Promise.all([workspace(), workspace()]);
        const isSame = first.path === second.path && workspaceSync() === first.path;
        return { output: `${isSame} ${first.seededFiles.length}` };
      }),
      [{ inputs: {} }],
    );

    expect(trial).toMatchObject({
      output: { outputText: "true 0" },
      metadata: { seeded_files: [] },
    });
  });

  it("is made at once where an agent cannot wait", async () => {
    const [trial] = await runTrials(
      standInRunner(async (_task, { workspaceSync, files }) => ({
        output: String((await files.stat(workspaceSync()))?.kind),
      })),
      [{ inputs: {} }],
    );

    expect(trial).toMatchObject({ output: { outputText: "directory" } });
  });

  it("is not made for a runner that does not ask for it", async () => {
    const { trials, context } = await startTrials(
      standInRunner(async () => ({ output: "5" })),
      [{ inputs: { files } }],
    );

    expect(await trials).toMatchObject([{ evidence: null, metadata: { agent_ok: true } }]);
    expect(await context.files.list(context.scratch)).toStrictEqual(["assay-scratch.json"]);
  });

  it("is private: nobody else may look into it or its parents", async () => {
    const { trials, context } = await startTrials(
      standInRunner(async (_task, { workspace }) => ({ output: (await workspace()).path })),
      [{ id: "a/../b", inputs: {} }],
    );
    const [trial] = await trials;

    const path = trial?.output?.outputText ?? "";
    expect(path.startsWith(context.scratch)).toBe(true);
    const { statSync } = await import("node:fs");
    for (let folder = path; folder !== context.scratch; folder = join(folder, "..")) {
      expect((statSync(folder).mode & 0o777).toString(8)).toBe("700");
    }
  });

  it("with a bad seed fails the trial, and the agent is never called", async () => {
    let isCalled = false;
    const [trial] = await runTrials(
      standInRunner(async (_task, { workspace }) => {
        await workspace();
        isCalled = true;
        return { output: "5" };
      }),
      [{ inputs: { files: { "../outside": "x" } } }],
    );

    expect(trial).toMatchObject({
      status: "failed",
      output: null,
      error: {
        type: "WorkspaceSeedError",
        message: expect.stringContaining("escapes the workspace"),
      },
      attempts: [{ fault: "user", cause: "error" }],
    });
    expect(isCalled).toBe(false);
  });

  it("is checked before anything is spent: checkTask names the task and the seed", async () => {
    const runner = standInRunner(async () => ({ output: "5" }));
    const { context } = await startTrials(runner, []);
    const task = {
      id: "t-9",
      intent: "",
      inputs: { files: { "a.txt": { kind: "s3" } } },
      reference: {},
      views: {},
      metadata: {},
      metrics: [],
    };

    await expect(runner.checkTask?.(task, context)).rejects.toMatchObject({
      code: "ASSAY_SEED_INVALID",
      message: expect.stringMatching(
        /^task "t-9": inputs\.files\["a\.txt"\]: no handler registered for seed kind 's3'/,
      ),
    });
  });
});

describe("what a runner sees of a task", () => {
  it("is its id, inputs and metadata, and nothing that is for graders", async () => {
    const seen: unknown[] = [];
    await runTrials(
      standInRunner(async (task) => {
        seen.push(task);
        return { output: "5" };
      }),
      [
        {
          id: "a",
          intent: "answers 5",
          inputs: { instruction: "Add" },
          reference: { answer: "5" },
          metadata: { level: 1 },
        },
      ],
    );

    expect(seen).toStrictEqual([
      { id: "a", inputs: { instruction: "Add" }, metadata: { level: 1 } },
    ]);
  });

  it("is its own: what an agent does to its inputs reaches no other trial", async () => {
    const inputs = { list: [3, 1, 2], nested: { isTouched: false } };
    const trials = await runTrials(
      standInRunner(async (task) => {
        const mine = task.inputs as unknown as { list: number[]; nested: { isTouched: boolean } };
        const before = JSON.stringify(mine);
        mine.list.sort();
        mine.nested.isTouched = true;
        return { output: before };
      }),
      [{ inputs }],
      { trialIndexes: [0, 1, 2], concurrency: 1 },
    );

    expect(new Set(trials.map(({ output }) => output?.outputText))).toStrictEqual(
      new Set([JSON.stringify(inputs)]),
    );
    expect(inputs).toStrictEqual({ list: [3, 1, 2], nested: { isTouched: false } });
  });
});
