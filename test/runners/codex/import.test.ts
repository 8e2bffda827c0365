import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { AgentEvaluator } from "assay";
import { describe, expect, it } from "vitest";

import { filesBelow, refusal } from "../../engine/run-kit.ts";
import { repoRoot, sharedFixtures } from "../../support/tools.ts";
import { makeFolder } from "./run-codex.ts";

const recordings = join(repoRoot, "packages/assay/src/runners/codex/fixtures/recordings");
const recording = (name: string) => readFileSync(join(recordings, `${name}.jsonl`), "utf8");

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = makeFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, "logs", name)), { recursive: true });
    writeFileSync(join(folder, "logs", name), text);
  }
  return folder;
}

async function importing(cwd: string, path = "logs") {
  const evaluator = new AgentEvaluator({ cwd, env: {}, scratchParent: join(cwd, "scratch") });
  const { losses, result } = await evaluator.importResults("codex", path, {
    workDir: join(cwd, "out"),
  });
  const trials = await result.trials.toArray();
  const refOf = (id: string, name: string) => {
    const ref = trials.find((trial) => trial.id === id)?.evidence?.descriptors[name]?.ref;
    return join(result.workDir, ref ?? "no such evidence");
  };
  const read = (id: string, name: string) => readFileSync(refOf(id, name), "utf8");
  const byId = new Map(trials.map((trial) => [trial.id, trial]));
  return { losses, result, byId, read, refOf };
}

const done = recording("success-solve");

describe("logs of codex exec", () => {
  it("become trials that end as their runs did, each with its usage, its steps and its log", async () => {
    const silent = "failed-codex-home-missing.jsonl";
    const names = readdirSync(recordings).filter(
      (name) => name.endsWith(".jsonl") && name !== silent,
    );
    const cwd = folderOf(
      Object.fromEntries(names.map((name) => [name, readFileSync(join(recordings, name), "utf8")])),
    );
    const { byId, losses, read, result } = await importing(cwd);

    expect(result.status).toBe("completed");
    expect(losses).toStrictEqual([]);
    const ends = [...byId.values()].map(({ taskId, status, error }) => [
      taskId,
      `${status} ${error?.type ?? "-"}`,
    ]);
    expect(Object.fromEntries(ends)).toStrictEqual({
      "failed-connection-refused": "failed ConnectionError",
      "failed-http-400": "partial AgentExitError",
      "failed-http-401": "failed MissingCredential",
      "failed-http-429": "failed RateLimited",
      "failed-http-503": "failed ConnectionError",
      "failed-missing-key": "failed MissingCredential",
      "failed-prompt-too-long": "partial AgentExitError",
      "failed-stream-cut": "failed ConnectionError",
      "success-blank-message": "partial BlankReply",
      "success-command-failed": "completed -",
      "success-control-characters": "completed -",
      "success-known-model": "completed -",
      "success-reconnect-429": "completed -",
      "success-reconnect-stream-cut": "completed -",
      "success-solve": "completed -",
      "success-wrong-solution": "completed -",
      "timeout-no-answer": "partial AgentExitError",
      "timeout-partial-work": "partial AgentExitError",
      "waiting-for-network": "partial AgentExitError",
    });
    expect(byId.get("timeout-no-answer:codex")?.error?.message).toBe(
      "the log ends before a turn does",
    );
    const solved = byId.get("success-solve:codex");
    expect(solved).toMatchObject({
      output: { outputText: expect.stringMatching(/\S/) },
      metadata: { runtime: "codex_cli", agent_ok: true, log: "success-solve.jsonl", turns: 1 },
      measurements: { runtimeSec: null, promptTokens: expect.any(Number) },
    });
    expect(read("success-solve:codex", "stdout")).toBe(done);
    const trace = JSON.parse(read("success-solve:codex", "trace"));
    expect(trace).toMatchObject({
      session_id: solved?.metadata["thread_id"],
      agent: { name: "codex" },
      final_metrics: {
        total_prompt_tokens: solved?.measurements.promptTokens,
        total_steps: trace.steps.length,
      },
    });
    expect(JSON.stringify(trace)).not.toContain("timestamp");
    expect(result.metadata.target?.config).toMatchObject({ format: "codex", logs: names.length });
    expect(filesBelow(join(cwd, "scratch")).filter((name) => name.endsWith(".json"))).toStrictEqual(
      [],
    );
  });

  it("that a runner left are read with what lies beside them, and are trials of the task they name", async () => {
    const cwd = folderOf({
      "000000-sum/task.json": JSON.stringify({
        id: "sum/1",
        inputs: { n: 2 },
        metadata: { level: "easy" },
      }),
      "000000-sum/prompt.txt": "Add 2 and 3",
      "000000-sum/stdout.jsonl": done,
      "000000-sum/final_output.txt": "from the file",
      "000000-sum/workspace/made.jsonl": "no log\n",
      "000000-sum/home/left.txt": "x",
      "000001-sum/task.json": JSON.stringify({
        id: "sum/1",
        inputs: { n: 2 },
        metadata: { level: "easy" },
      }),
      "000001-sum/prompt.txt": "Add 2 and 3",
      "000001-sum/stdout.jsonl": recording("timeout-no-answer"),
      "000001-sum/error.json": '{"error_type":"TimeoutError","error":"out of time"}\n',
      "000002-other/stdout.jsonl": recording("failed-prompt-too-long"),
      "000002-other/stderr.txt": "Error: Input exceeds the maximum length\n",
      "000003-silent/stdout.jsonl": recording("failed-codex-home-missing"),
      "000003-silent/stderr.txt": "Error finding codex home: it does not exist\n",
    });
    const { byId, losses, read, refOf } = await importing(cwd);
    const plan = JSON.parse(
      readFileSync(join(cwd, "out/tasks.jsonl"), "utf8").split("\n")[0] ?? "",
    );

    expect([...byId.keys()].sort()).toStrictEqual([
      "000002-other:codex",
      "000003-silent:codex",
      "sum/1:codex",
      "sum/1:codex:1",
    ]);
    expect(plan).toMatchObject({
      id: "sum/1",
      inputs: { n: 2, instruction: "Add 2 and 3" },
      metadata: { level: "easy" },
      intent: expect.stringContaining("not told"),
    });
    expect(byId.get("sum/1:codex")).toMatchObject({
      status: "completed",
      output: { outputText: "from the file" },
    });
    expect(Object.keys(byId.get("sum/1:codex")?.evidence?.descriptors ?? {}).sort()).toStrictEqual([
      "final_output",
      "final_state",
      "prompt",
      "stdout",
      "task",
      "trace",
    ]);
    expect(readFileSync(join(refOf("sum/1:codex", "final_state"), "made.jsonl"), "utf8")).toBe(
      "no log\n",
    );
    expect(read("sum/1:codex", "prompt")).toBe("Add 2 and 3");
    expect(byId.get("sum/1:codex:1")).toMatchObject({
      status: "partial",
      error: { type: "TimeoutError", message: "out of time" },
    });
    expect(byId.get("000002-other:codex")?.error?.message).toBe(
      "the log ends before a turn does: Error: Input exceeds the maximum length",
    );
    expect(byId.get("000003-silent:codex")).toMatchObject({
      status: "failed",
      error: { type: "RunnerError", message: expect.stringContaining("Error finding codex home") },
    });
    expect(losses).toStrictEqual([
      {
        field: "000000-sum/home",
        reason: "nothing that a runner of Codex leaves beside its log",
        count: 1,
      },
    ]);
  });

  it("lose what is no event, and what is no log is named", async () => {
    const cwd = folderOf({
      "a.jsonl": `${done}{"type":"item.comple`,
      "b.jsonl": `{"type":"turn.failed","type":"turn.started"}\n{"type":"session.ended"}\n${done}`,
      "deep/c.jsonl": done,
      "notes.md": "# notes",
      "rows.jsonl": '{"reward":1}\n',
    });
    symlinkSync("a.jsonl", join(cwd, "logs/link.jsonl"));
    const { byId, losses } = await importing(cwd);

    expect([...byId.keys()].sort()).toStrictEqual(["a:codex", "b:codex", "deep/c:codex"]);
    expect(byId.get("a:codex")).toMatchObject({
      status: "completed",
      metadata: { malformed_lines: 1 },
    });
    expect(losses).toStrictEqual([
      { field: "link.jsonl", reason: "a link, which is not followed", count: 1 },
      { field: "notes.md", reason: "no log: its name does not end with .jsonl", count: 1 },
      {
        field: `a.jsonl, line ${done.split("\n").length} and others`,
        reason: "no event of codex exec; it is kept in the evidence alone",
        count: 2,
      },
      {
        field: "b.jsonl, line 2",
        reason: 'events of the type "session.ended" are kept in the evidence alone',
        count: 1,
      },
      { field: "rows.jsonl", reason: "it holds no event of codex exec --json", count: 1 },
    ]);
  });

  it("are told by name where a link or a FIFO stands in the place of a log, or of what lies beside one", async () => {
    const cwd = folderOf({ "a.jsonl": done, "t/stdout.jsonl": done });
    symlinkSync("/etc", join(cwd, "logs/t/workspace"));
    mkdirSync(join(cwd, "logs/u/workspace"), { recursive: true });
    writeFileSync(join(cwd, "logs/u/stdout.jsonl"), done);
    symlinkSync("../../up", join(cwd, "logs/u/workspace/link"));
    execFileSync("mkfifo", [join(cwd, "logs/f.jsonl"), join(cwd, "logs/t/stderr.txt")]);
    const { losses, byId } = await importing(cwd);

    expect(byId.size).toBe(3);
    expect(losses).toStrictEqual([
      { field: "f.jsonl and others", reason: "no ordinary file, which is not read", count: 2 },
      { field: "t/workspace and others", reason: "a link, which is not followed", count: 2 },
    ]);
  });

  it("may be one, and differ from others by what they hold", async () => {
    const shaping: unknown[] = [];
    for (const text of [done, `${done}\n`]) {
      const cwd = folderOf({ "one.jsonl": text });
      const { byId, result } = await importing(cwd, "logs/one.jsonl");
      expect([...byId.keys()]).toStrictEqual(["one:codex"]);
      shaping.push(
        JSON.parse(readFileSync(join(result.workDir, "plan.json"), "utf8")).settings_digest,
      );
    }

    expect(shaping[0]).not.toBe(shaping[1]);
  });

  it.each<[string, Record<string, string>, string, string]>([
    ["there is none", { "notes.md": "x" }, "logs", "no file whose name ends with .jsonl"],
    [
      "none holds an event",
      { "rows.jsonl": '\n{"reward":1}\n', "z.jsonl": "" },
      "logs",
      'rows.jsonl: it holds no event of codex exec --json; its first line is "{\\"reward\\":1}"',
    ],
    [
      "the file is empty",
      { "a.jsonl": "\n" },
      "logs/a.jsonl",
      "a.jsonl: it holds no event of codex exec --json; it is empty",
    ],
    [
      "the task beside one is broken",
      { "run/stdout.jsonl": done, "run/task.json": '{"id":' },
      "logs",
      'run/task.json is not JSON: "{\\"id\\":"',
    ],
    [
      "the task beside one is none",
      { "run/stdout.jsonl": done, "run/task.json": "[]" },
      "logs",
      "run/task.json is no task",
    ],
  ])("are refused where %s", async (_case, files, path, problem) => {
    const cwd = folderOf(files);

    expect(await refusal(() => importing(cwd, path))).toMatchObject({
      code: "ASSAY_RESULTS_INVALID",
      message: expect.stringContaining(problem),
    });
  });

  it("are a loss for a line that no log can have, and so is a task that no runner wrote", async () => {
    const cwd = folderOf({
      "a.jsonl": done,
      "b.jsonl": done,
      "run/stdout.jsonl": done,
      "run/task.json": "{}",
    });
    truncateSync(join(cwd, "logs/a.jsonl"), 3 * 1024 ** 3);
    truncateSync(join(cwd, "logs/run/task.json"), 3 * 1024 ** 3);
    const { byId, losses } = await importing(cwd);

    expect([...byId.keys()]).toStrictEqual(["b:codex"]);
    expect(losses).toStrictEqual([
      {
        field: "a.jsonl and others",
        reason: "larger than any file of its kind, or than any line of one",
        count: 2,
      },
    ]);
  });

  it("are refused for a line that no log can have, where there is no other", async () => {
    const cwd = folderOf({ "a.jsonl": done });
    truncateSync(join(cwd, "logs/a.jsonl"), 66 * 1024 * 1024);

    expect(await refusal(() => importing(cwd))).toMatchObject({
      code: "ASSAY_FILE_UNREADABLE",
      message: expect.stringContaining("a line is longer than 67108864 bytes"),
    });
  });

  it("that were recorded elsewhere are read with these values", async () => {
    const cwd = makeFolder();
    cpSync(sharedFixtures("codex"), join(cwd, "logs"), { recursive: true });
    const { byId, losses, read, result } = await importing(cwd);

    expect(losses).toStrictEqual([]);
    expect(byId.get("exec-success-with-command:codex")).toMatchObject({
      status: "completed",
      output: { outputText: "all done" },
      measurements: {
        promptTokens: 203,
        completionTokens: 14,
        cacheReadTokens: 20,
        cacheCreationTokens: 0,
      },
      metadata: {
        thread_id: "01a23363-4edf-79a1-9958-9c4db1b314bf",
        commands: 1,
        reasoning_tokens: 4,
        warnings: [expect.stringContaining("Model metadata for `mock-model` not found")],
      },
    });
    expect(JSON.parse(read("exec-success-with-command:codex", "trace")).steps).toStrictEqual([
      {
        step_id: 1,
        source: "agent",
        message: "",
        tool_calls: [
          {
            tool_call_id: "item_1",
            function_name: "shell",
            arguments: { command: "/bin/bash -lc 'echo hi > out.txt && cat out.txt'" },
          },
        ],
        observation: {
          results: [
            {
              source_call_id: "item_1",
              content: "hi\n",
              extra: { exit_code: 0, status: "completed" },
            },
          ],
        },
      },
      { step_id: 2, source: "agent", message: "all done" },
    ]);
    expect(byId.get("exec-missing-credential:codex")).toMatchObject({
      status: "failed",
      output: null,
      error: {
        type: "MissingCredential",
        message: "the turn failed: Missing environment variable: `MOCK_KEY`.",
      },
    });
    expect(byId.get("exec-turn-failed-http-400:codex")).toMatchObject({
      status: "partial",
      output: null,
      error: { type: "AgentExitError", message: expect.stringContaining("bad thing") },
    });
    const scores = await result.scores.toArray();
    expect(scores.map(({ taskId, outputs }) => [taskId, outputs[0]?.value ?? null])).toEqual(
      expect.arrayContaining([
        ["exec-success-with-command", true],
        ["exec-turn-failed-http-400", false],
        ["exec-missing-credential", null],
      ]),
    );
  });
});
