import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { AgentEvaluator } from "assay";
import { expect, it, onTestFinished } from "vitest";

import { itNeeds } from "../../support/tools.ts";
import { evidencePath, only, runFabric, standInOptions, timeoutMs } from "./run-fabric.ts";

function folderOf(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), "assay-fabric-import-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
  }
  return folder;
}

async function importing(cwd: string, path: string) {
  const evaluator = new AgentEvaluator({ cwd, env: {}, scratchParent: join(cwd, "scratch") });
  const { losses, result } = await evaluator.importResults("fabric", path, {
    workDir: join(cwd, "out"),
  });
  const trials = await result.trials.toArray();
  const byId = new Map(trials.map((trial) => [trial.id, trial]));
  const scores = await result.scores.toArray();
  const read = (id: string, name: string) =>
    readFileSync(
      join(result.workDir, byId.get(id)?.evidence?.descriptors[name]?.ref ?? ""),
      "utf8",
    );
  return { losses, result, byId, read, scores };
}

const result = (changes: object = {}) => ({
  agent_name: "demo",
  harness: "codex",
  adapter_kind: "python",
  adapter_id: "nvidia.fabric.codex",
  runtime_id: "rt-1",
  invocation_id: "inv-1",
  request_id: "task-1",
  status: "succeeded",
  output: { response: "done" },
  error: null,
  usage: { input_tokens: 7, output_tokens: 2, input_tokens_include_cache: true },
  artifacts: { root: "/w/artifacts", artifacts: [] },
  telemetry: [],
  events: [],
  metadata: {},
  ...changes,
});

const atif = {
  schema_version: "ATIF-v1.7",
  session_id: "s",
  agent: { name: "fabric", version: "1" },
  steps: [
    {
      step_id: 1,
      source: "agent",
      message: "hi",
      metrics: { prompt_tokens: 5, completion_tokens: 1 },
    },
  ],
};

it("links in the place of what lies beside a result are told, and not followed", async () => {
  const cwd = folderOf({ "runs/a/fabric_result.json": result() });
  for (const name of ["logs", "relay"]) symlinkSync("/etc", join(cwd, "runs/a", name));
  mkdirSync(join(cwd, "runs/a/workspace"));
  symlinkSync("..", join(cwd, "runs/a/workspace/logs"));
  symlinkSync(".", join(cwd, "runs/a/workspace/self"));
  const { byId, losses } = await importing(cwd, "runs");

  expect(byId.size).toBe(1);
  const reason = "a link, which is not followed";
  expect(losses).toContainEqual({ field: "a/logs and others", reason, count: 3 });
});

it("results become trials that end as their runs did, with their tokens, their files and what a bundle has no place for", async () => {
  const artifacts = [
    { name: "ws.patch", kind: "patch", path: "artifacts/ws.patch", media_type: "text/x-diff" },
    { name: "elsewhere", kind: "file", path: "/etc/hostname" },
    { name: "upward", kind: "file", path: "../../secret" },
  ];
  const error = (message: string) => ({
    stage: "invoke",
    code: "turn_failed",
    message,
    retryable: false,
  });
  const cwd = folderOf({
    "runs/a/fabric_result.json": result({ artifacts: { artifacts } }),
    "runs/a/artifacts/ws.patch": "diff",
    "runs/a/task.json": { id: "sum-1", inputs: { instruction: "Add" } },
    "runs/a/workspace/made.txt": "made",
    // An agent may call its files what it likes.
    "runs/a/workspace/fabric_result.json": result({ request_id: "forged" }),
    "runs/a/logs/fabric-stderr.txt": "warning",
    "runs/b/fabric_result.json": result({ usage: null }),
    "runs/b/relay/runtime-1/trajectory-s.atif.json": atif,
    "runs/c/fabric_result.json": result({ status: "failed", error: error("it broke") }),
    "runs/d/fabric_result.json": result({
      status: "failed",
      error: error("last status: 429 Too Many"),
      request_id: "task-2",
    }),
    "runs/e/fabric_result.json": result({
      status: "cancelled",
      request_id: "task-3",
      output: null,
    }),
    "runs/f/fabric_result.json": "[1, 2]",
    secret: "not yours",
  });
  const { byId, losses, read, result: imported, scores } = await importing(cwd, "runs");

  expect(imported.status).toBe("completed");
  expect([...byId.keys()].sort()).toEqual(
    ["sum-1:fabric", "task-1:fabric", "task-1:fabric:1", "task-2:fabric", "task-3:fabric"].sort(),
  );
  expect(byId.get("sum-1:fabric")).toMatchObject({
    status: "completed",
    output: { outputText: "done", response: { response: "done" } },
    measurements: { promptTokens: 7, completionTokens: 2, runtimeSec: null },
    metadata: {
      runtime: "fabric",
      harness: "codex",
      agent_ok: true,
      result: "a/fabric_result.json",
    },
  });
  expect(Object.keys(byId.get("sum-1:fabric")?.evidence?.descriptors ?? {}).sort()).toEqual(
    ["final_state", "logs", "result", "task", "ws.patch"].sort(),
  );
  expect(read("sum-1:fabric", "ws.patch")).toBe("diff");
  expect(byId.get("task-1:fabric")).toMatchObject({ measurements: { promptTokens: 5 } });
  expect(JSON.parse(read("task-1:fabric", "trace"))).toMatchObject({ session_id: "s" });
  expect(byId.get("task-1:fabric:1")).toMatchObject({
    status: "partial",
    error: { type: "AgentExitError", message: expect.stringContaining("turn_failed: it broke") },
    metadata: { agent_ok: false, fabric_error: { stage: "invoke", code: "turn_failed" } },
  });
  expect(byId.get("task-2:fabric")).toMatchObject({
    status: "failed",
    error: { type: "RateLimited" },
  });
  expect(byId.get("task-3:fabric")).toMatchObject({ status: "partial", output: null });
  expect(losses.map(({ reason, count }) => [reason, count])).toEqual(
    expect.arrayContaining([
      ["it is no result of NeMo Fabric", 1],
      ["artifacts that do not lie below what is imported", 2],
      ["the id of the runtime: it is kept in the evidence alone", 5],
    ]),
  );
  expect(scores.map(({ metricType }) => metricType)).toContain("agent_phase_success");
});

it("JSON files of a folder, or one file, are results too", async () => {
  const cwd = folderOf({ "r/one.json": result({ request_id: null }), "r/two.json": result() });
  expect([...(await importing(cwd, "r")).byId.keys()].sort()).toEqual([
    "one:fabric",
    "task-1:fabric",
  ]);
  const alone = folderOf({ "two.json": result() });
  expect([...(await importing(alone, "two.json")).byId.keys()]).toEqual(["task-1:fabric"]);
});

it("results that are too large, or beside a task that is, are a loss; alone they are refused", async () => {
  const cwd = folderOf({
    "r/a/fabric_result.json": result(),
    "r/b/fabric_result.json": result(),
    "r/c/fabric_result.json": result({ request_id: "whole" }),
    "r/b/task.json": "{}",
  });
  for (const name of ["r/a/fabric_result.json", "r/b/task.json"])
    truncateSync(join(cwd, name), 3 * 1024 ** 3);
  const { byId, losses } = await importing(cwd, "r");
  expect([...byId.keys()]).toEqual(["whole:fabric"]);
  expect(losses).toContainEqual({
    field: "a/fabric_result.json and others",
    reason: "larger than any file of its kind, or than any line of one",
    count: 2,
  });
  await expect(importing(cwd, "r/a/fabric_result.json")).rejects.toMatchObject({
    code: "ASSAY_FILE_UNREADABLE",
  });
});

it("links are not followed", async () => {
  const cwd = folderOf({
    "r/a/fabric_result.json": result(),
    "other/fabric_result.json": result({ request_id: "linked" }),
  });
  symlinkSync(join(cwd, "other"), join(cwd, "r/b"));
  symlinkSync(join(cwd, "other/fabric_result.json"), join(cwd, "r/fabric_result.json"));
  expect([...(await importing(cwd, "r")).byId.keys()]).toEqual(["task-1:fabric"]);
});

it.each<[string, Readonly<Record<string, unknown>>, string]>([
  ["a folder without results", { "r/readme.txt": "x" }, "there is no result of NeMo Fabric"],
  ["a torn result", { "r/fabric_result.json": '{"status": "succ' }, 'it begins with "{\\"status'],
  [
    "a result with a key twice",
    { "r/fabric_result.json": JSON.stringify(result()).replace("{", '{"status":"failed",') },
    'the key "status" of an object stands in it twice',
  ],
  ["a list", { "r/fabric_result.json": "[1,2]" }, "it is no result of NeMo Fabric"],
  ["an unknown status", { "r/fabric_result.json": result({ status: "odd" }) }, "status"],
  [
    "a broken task beside it",
    { "r/fabric_result.json": result(), "r/task.json": "{" },
    'task.json is no task: "{"',
  ],
])("refused: %s", async (_name, files, message) => {
  await expect(importing(folderOf(files), "r")).rejects.toMatchObject({
    code: "ASSAY_RESULTS_INVALID",
    message: expect.stringContaining(message),
  });
});

itNeeds(
  "python3",
  "what the runner leaves of a trial is imported as the trial that it made",
  async () => {
    const run = await runFabric(standInOptions({}, { captureTrajectory: true }));
    const trial = only(run);
    const cwd = folderOf({});
    const { byId } = await importing(cwd, dirname(evidencePath(trial, "result")));
    const imported = byId.get("task-1:fabric");

    expect(imported).toMatchObject({ status: trial.status, output: { outputText: "done" } });
    expect(imported?.measurements).toMatchObject({ promptTokens: 10, completionTokens: 2 });
    const names = (of: typeof imported) => Object.keys(of?.evidence?.descriptors ?? {}).sort();
    expect(names(imported)).toEqual(names(trial));
  },
  timeoutMs,
);
