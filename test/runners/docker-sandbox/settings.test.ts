import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { findPackage } from "../../../packages/assay/src/platform/modules/find-package.ts";
import { createNodePlatform } from "../../../packages/assay/src/platform/node-platform.ts";
import { RunReader } from "../../../packages/assay/src/runners/docker-sandbox/event-reader.ts";
import { dockerSandbox } from "../../../packages/assay/src/runners/docker-sandbox/index.ts";
import { agentProblem } from "../../../packages/assay/src/runners/docker-sandbox/outcome.ts";
import { dockerSandboxRunner } from "../../../packages/assay/src/runners/docker-sandbox/runner.ts";
import { testRunContext } from "../../../packages/assay/src/testing/run-context.ts";
import { testPlan } from "../../../packages/assay/src/testing/trial-plan.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-agents-package-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  [{ baseUrl: "not an address" }, "is no address"],
  [{ baseUrl: "ftp://host/v1" }, "neither http nor https"],
  [{ baseUrl: "http://me:pass@host/v1" }, "holds a user or password"],
  [{ baseUrl: "http://host/${API_TOKEN}" }, "names the credential API_TOKEN"],
  [{ maxTurns: 0 }, "max"],
  [{ timeoutS: 0 }, "timeout"],
] as const)("%j is refused at once", (options, text) => {
  expect(() => dockerSandbox(options)).toThrow(new RegExp(text, "i"));
});

it("what a container is and may is told before any is made", () => {
  expect(dockerSandboxRunner({ model: "m", cpus: 2 }).targetFacts?.()).toMatchObject({
    model: { name: "m", setBy: ["model"] },
    prompt: { setBy: ["instructions"] },
    sandbox: {
      isolation: "container",
      image: "python:3.14-slim",
      limits: { timeout_s: 600, memory_mib: null, cpus: 2, processes: null, disk_mib: null },
      network: "none",
    },
  });
});

it.each<[string, Record<string, unknown>, string]>([
  ["no instruction", { instruction: "" }, "task 't' has no instruction"],
  ["a relative workspace_dir", { workspace_dir: "a/b" }, "absolute path"],
  ["a workspace_dir that is no text", { workspace_dir: 7 }, "absolute path"],
  ["a workspace_dir that is not there", { workspace_dir: "/none/at/all" }, "does not exist"],
  ["a workspace_dir that is a file", { workspace_dir: process.execPath }, "is no directory"],
  ["a seed in place of the instruction", { files: { "./instruction.md": "x" } }, "instruction.md"],
  ["a seed in place of the results", { files: { output: "x" } }, "makes output"],
  [
    "a seed below the directory",
    { workspace_dir: folder, files: { "workspace/a": "x" } },
    "makes workspace",
  ],
])("a task with %s is refused before anything is spent", async (_what, inputs, text) => {
  const { files } = createNodePlatform({});
  const [planned] = testPlan([{ id: "t", inputs: { instruction: "Do it", ...inputs } }]).tasks;
  if (planned === undefined) throw new Error("there is a task");
  const check = dockerSandboxRunner({}).checkTask?.(planned.task, { baseDir: folder, files });
  await expect(check).rejects.toThrow(text);
});

it("the content of a workspace_dir is part of what a run is made of", async () => {
  const { files } = createNodePlatform({});
  const runner = dockerSandboxRunner({});
  const inputs = { instruction: "Do it", workspace_dir: join(folder, "given") };
  const [planned] = testPlan([{ id: "t", inputs }]).tasks;
  if (planned === undefined) throw new Error("there is a task");
  const digest = () => runner.contentDigest?.(planned.task, { baseDir: folder, files });
  mkdirSync(join(folder, "given"));
  writeFileSync(join(folder, "given/a"), "1");
  const first = await digest();
  writeFileSync(join(folder, "given/a"), "2");

  expect(first).toMatch(/^sha256:/);
  expect(await digest()).not.toBe(first);
});

/** A stand-in for the package. */
function install(version: string, program = ""): string {
  const project = mkdtempSync(join(folder, "project-"));
  const place = join(project, "node_modules/@openai/agents");
  mkdirSync(place, { recursive: true });
  writeFileSync(
    join(place, "package.json"),
    JSON.stringify({ name: "@openai/agents", version, main: "index.js" }),
  );
  writeFileSync(join(place, "index.js"), program);
  mkdirSync(join(project, "deep/er"), { recursive: true });
  return join(project, "deep/er");
}

it.each([
  ["is not there", () => folder, "ASSAY_TOOL_NOT_FOUND", "is not installed in"],
  ["is older", () => install("0.19.3"), "ASSAY_TOOL_UNUSABLE", "0.19.3 is installed in"],
  ["is newer", () => install("1.0.0"), "ASSAY_TOOL_UNUSABLE", "works with @openai/agents 0.20.x"],
  ["is broken", () => install("0.20.1", "throw 7"), "ASSAY_TOOL_UNUSABLE", "cannot be used: 7"],
  ["lacks parts", () => install("0.20.1"), "ASSAY_TOOL_UNUSABLE", "cannot be used"],
])("a package that %s is told before the first trial, with what to do", async (...row) => {
  const [, place, code, message] = row;
  const context = await testRunContext({ baseDir: place() });
  onTestFinished(() => context.dispose());

  await expect(dockerSandboxRunner({}).probe?.(context)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
    remedy: expect.stringContaining("npm install --save-exact @openai/agents@0.20.0"),
  });
});

it("a package takes no part in how this process ends", () => {
  const listens = "process.on('SIGINT', () => {}); module.exports = { loaded: true };";
  const before = process.listeners("SIGINT").length;
  const found = findPackage("@openai/agents", [install("0.20.0", listens)]);

  expect(found?.load()).toEqual({ loaded: true });
  expect(process.listeners("SIGINT")).toHaveLength(before);
});

class APIConnectionTimeoutError extends Error {}
const withStatus = (status: number) => Object.assign(new Error(`${status} said`), { status });
const named = (name: string) => Object.assign(new Error("said"), { name });

it.each([
  ["a refusal", named("ModelRefusalError"), { type: "AgentRefused" }],
  ["too many turns", named("MaxTurnsExceededError"), { type: "AgentError" }],
  ["a bad request", withStatus(400), { type: "AgentError" }],
  ["a refused key", withStatus(403), { code: "ASSAY_SECRET_MISSING" }],
  ["an unknown model", withStatus(404), { code: "ASSAY_CONFIG_INVALID" }],
  ["a busy endpoint", withStatus(429), { code: "ASSAY_RATE_LIMITED" }],
  ["a broken endpoint", withStatus(502), { code: "ASSAY_CONNECTION_FAILED" }],
  ["a lost connection", new TypeError("terminated"), { code: "ASSAY_CONNECTION_FAILED" }],
  ["no answer", new APIConnectionTimeoutError("x"), { code: "ASSAY_CONNECTION_FAILED" }],
  ["no JSON", new SyntaxError("x"), { code: "ASSAY_CONNECTION_FAILED" }],
  ["a fault of the library", new RangeError("x"), { name: "RangeError" }],
])("%s is told for what it is", (_what, thrown, expected) => {
  const told = () => agentProblem(thrown, { isAnswerCut: false });
  if ("type" in expected) expect(told()).toMatchObject(expected);
  else expect(told).toThrow(expect.objectContaining(expected));
});

it("an answer that began and did not end is a lost connection, whatever the library calls it", () => {
  const told = () => agentProblem(named("ModelBehaviorError"), { isAnswerCut: true });
  expect(told).toThrow(expect.objectContaining({ code: "ASSAY_CONNECTION_FAILED" }));
});

it("events of other shapes cost nothing but themselves", () => {
  const steps: unknown[] = [];
  const reader = new RunReader({
    step: (step) => void steps.push(step),
    addUsage: () => {},
    redact: (text) => text,
  });
  const item = (type: string, rawItem: unknown, more = {}) =>
    reader.read({ type: "run_item_stream_event", item: { type, rawItem, ...more } });
  for (const odd of [null, 7, {}, { type: "x" }, { type: "raw_model_stream_event", data: 7 }])
    reader.read(odd);
  item("reasoning_item", { rawContent: [{ text: "think" }] });
  item("tool_call_item", { name: "shell", callId: "c", arguments: "{oops" });
  item("tool_call_output_item", { callId: "none" }, { output: { a: 1 } });
  item("message_output_item", { content: 7 });

  expect(reader.end()).toMatchObject({ turnCount: 0, toolCallCount: 1, lastMessage: "" });
  expect(steps).toEqual([
    { reasoning: "think" },
    { observations: [{ callId: "none", content: '{"a":1}' }] },
    { message: "" },
    { toolCalls: [{ id: "c", name: "shell", arguments: { input: "{oops" } }] },
  ]);
});
