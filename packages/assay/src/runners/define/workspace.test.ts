import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { runTrials, startTrials } from "../../../../../test/support/run-trials.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { RunOne } from "./attempt.ts";
import { defineRunner } from "./define-runner.ts";

function runnerOf(run: RunOne<unknown>) {
  return defineRunner({
    name: "worker",
    description: "For tests.",
    needs: [],
    options: {},
    timeLimitS: () => null,
    trialIdSuffix: () => "w",
    run,
  })({});
}

const files = {
  "src/a.txt": "text",
  "b.bin": { kind: "inline", content: "AP8=", encoding: "base64" },
};

describe("the workspace of a trial", () => {
  it("holds the task's files before the agent runs, in the order of the task", async () => {
    const [trial] = await runTrials(
      runnerOf(async (_task, { workspace }) => {
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
      runnerOf(async (_task, { workspace, workspaceSync }) => {
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
      runnerOf(async (_task, { workspaceSync, files }) => ({
        output: String((await files.stat(workspaceSync()))?.kind),
      })),
      [{ inputs: {} }],
    );

    expect(trial).toMatchObject({ output: { outputText: "directory" } });
  });

  it("is not made for a runner that does not ask for it", async () => {
    const { trials, context } = await startTrials(
      runnerOf(async () => ({ output: "5" })),
      [{ inputs: { files } }],
    );

    expect(await trials).toMatchObject([{ evidence: null, metadata: { agent_ok: true } }]);
    expect(await context.files.list(context.scratch)).toStrictEqual(["assay-scratch.json"]);
  });

  it("is private: nobody else may look into it or its parents", async () => {
    const { trials, context } = await startTrials(
      runnerOf(async (_task, { workspace }) => ({ output: (await workspace()).path })),
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
      runnerOf(async (_task, { workspace }) => {
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
    const runner = runnerOf(async () => ({ output: "5" }));
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
      runnerOf(async (task) => {
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
      runnerOf(async (task) => {
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

describe("what a runner leaves behind", () => {
  it("its log lines, one JSON document each, whatever it logs", async () => {
    const { trials, context } = await startTrials(
      runnerOf(async (_task, { log }) => {
        const cyclic: Record<string, unknown> = {};
        cyclic["self"] = cyclic;
        log.info("begun", { at: 1 });
        log.warn("line\nbreak \ud800");
        log.error("cyclic", cyclic);
        log.debug("big", { count: 1n });
        return { output: "5" };
      }),
      [{ inputs: {} }],
    );
    const [trial] = await trials;

    const logs = trial?.evidence?.descriptors["logs"];
    expect(logs).toMatchObject({
      kind: "logs",
      format: "dir",
      metadata: { primary_log: "agent.jsonl" },
    });
    const text = await context.files.readText(join(logs?.ref ?? "", "agent.jsonl"));
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ level, message }) => `${level} ${message}`)).toStrictEqual([
      "info begun",
      "warn line\nbreak \ud800",
      "error cyclic",
      "debug big",
    ]);
    expect(lines[0]).toMatchObject({ at: expect.stringMatching(/Z$/), data: { at: 1 } });
    expect(lines[2]?.["data"]).toMatchObject({ unwritable: expect.stringContaining("circular") });
    expect(trial?.status).toBe("completed");
  });

  it("its steps as an ATIF trajectory, as they were when they were made", async () => {
    const { trials, context } = await startTrials(
      runnerOf(async (_task, { step }) => {
        const args: Record<string, unknown> = { a: 2 };
        step({ source: "user", message: "Add" });
        step({
          message: "calling",
          reasoning: "easy",
          model: "m",
          toolCalls: [{ name: "add", arguments: args as never }],
          promptTokens: 5,
        });
        args["a"] = "changed later";
        step({ observations: [{ callId: "call_2_0", content: [{ text: "5" }] }] });
        return { output: "5" };
      }),
      [{ id: "a", inputs: {} }],
      { trialIndexes: [2] },
    );
    const [trial] = await trials;

    const text = await context.files.readText(trial?.evidence?.descriptors["trace"]?.ref ?? "");
    expect(JSON.parse(text)).toStrictEqual({
      schema_version: "ATIF-v1.7",
      session_id: `${context.runId}:a:2`,
      agent: { name: "worker", version: "unknown" },
      final_metrics: { total_steps: 3 },
      steps: [
        { step_id: 1, timestamp: expect.any(String), source: "user", message: "Add" },
        {
          step_id: 2,
          timestamp: expect.any(String),
          source: "agent",
          message: "calling",
          reasoning_content: "easy",
          model_name: "m",
          tool_calls: [{ tool_call_id: "call_2_0", function_name: "add", arguments: { a: 2 } }],
          metrics: { prompt_tokens: 5 },
        },
        {
          step_id: 3,
          timestamp: expect.any(String),
          source: "agent",
          message: "",
          observation: { results: [{ content: '[{"text":"5"}]', extra: { call_id: "call_2_0" } }] },
        },
      ],
    });
  });

  it("a step that is no JSON is refused where it is made", async () => {
    const [trial] = await runTrials(
      runnerOf(async (_task, { step }) => {
        step({ message: 5n as never });
        return { output: "5" };
      }),
      [{ inputs: {} }],
    );

    expect(trial?.error?.message).toMatch(/message: .*bigint/);
  });

  it("a log and a trajectory of its own where it names them so", async () => {
    const [trial] = await runTrials(
      runnerOf(async (_task, { log, step }) => {
        log.info("ours");
        step({ message: "ours" });
        return {
          output: "5",
          evidence: {
            logs: { kind: "logs", ref: "s3://a/logs" },
            trace: { kind: "trace", ref: "s3://a/trace" },
          },
        };
      }),
      [{ inputs: {} }],
    );

    expect(trial?.evidence?.descriptors["logs"]?.ref).toBe("s3://a/logs");
    expect(trial?.evidence?.descriptors["trace"]?.ref).toBe("s3://a/trace");
  });

  it("a failed trial with a typed error when the disk takes no more", async () => {
    const runner = runnerOf(async (_task, { log }) => {
      log.info("written at the end");
      return { output: "5" };
    });
    const { context } = await startTrials(runner, []);
    const files = {
      ...context.files,
      writeAtomic: async () => {
        throw new AssayError("ASSAY_STORE_FAILED", "no space left");
      },
    };
    const task = {
      id: "t",
      intent: "",
      inputs: {},
      reference: {},
      views: {},
      metadata: {},
      metrics: [],
    };

    const trials = [];
    const plan = {
      tasks: [{ task, taskIndex: 0, trialIndexes: [0] }],
      trialsPerTask: 1,
      trialCount: 1,
    };
    for await (const trial of runner.runTasks(plan, { ...context, files })) trials.push(trial);

    expect(trials).toMatchObject([
      { status: "failed", error: { type: "RunnerError", message: "no space left" } },
    ]);
  });
});
