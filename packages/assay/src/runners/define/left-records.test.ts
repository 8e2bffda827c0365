import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { runTrials, startTrials } from "../../../../../test/support/run-trials.ts";
import { standInRunner } from "../../../../../test/support/stand-in-runner.ts";
import { AssayError } from "../../errors/assay-error.ts";

describe("what a runner leaves behind", () => {
  it("its log lines, one JSON document each, whatever it logs", async () => {
    const { trials, context } = await startTrials(
      standInRunner(async (_task, { log }) => {
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
      standInRunner(async (_task, { step }) => {
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
      agent: { name: "stand_in", version: "unknown" },
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
      standInRunner(async (_task, { step }) => {
        step({ message: 5n as never });
        return { output: "5" };
      }),
      [{ inputs: {} }],
    );

    expect(trial?.error?.message).toMatch(/message: .*bigint/);
  });

  it("a log and a trajectory of its own where it names them so", async () => {
    const [trial] = await runTrials(
      standInRunner(async (_task, { log, step }) => {
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
    const runner = standInRunner(async (_task, { log }) => {
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
