import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";

import { parseResult } from "../../../packages/assay/src/runners/fabric/read-result.ts";
import { runResultSchema } from "../../../packages/assay/src/runners/fabric/run-result.ts";
import { usageOfResult } from "../../../packages/assay/src/runners/fabric/usage.ts";
import { parseTrajectory } from "../../../packages/assay/src/trajectory/read-trajectory.ts";
import { repoRoot, requireTool, sharedFixtures } from "../../support/tools.ts";
import { only, readEvidence, runFabric, standInOptions, timeoutMs } from "./run-fabric.ts";

type Json = Record<string, unknown>;

function recorded(name: string): Json {
  return JSON.parse(readFileSync(sharedFixtures(`fabric/${name}`), "utf8")) as Json;
}

function accepts(schema: string, value: unknown): boolean {
  return z.fromJSONSchema(recorded(`${schema}.schema.json`) as never).safeParse(value).success;
}

it.each([
  [
    "adapter-descriptor",
    "AdapterDescriptor",
    ["contract_version", "adapter_id", "harness", "adapter_kind"],
  ],
  ["adapter-invocation", "AdapterInvocation", null],
  ["agent", "FabricConfig", null],
  ["artifact-manifest", "ArtifactManifest", null],
  ["error-info", "ErrorInfo", ["stage", "code", "message"]],
  ["fabric-event", "FabricEvent", ["event_id", "timestamp_millis", "kind", "message"]],
  ["run-request", "RunRequest", ["request_id"]],
  [
    "run-result",
    "RunResult",
    [
      "agent_name",
      "harness",
      "adapter_kind",
      "runtime_id",
      "invocation_id",
      "request_id",
      "status",
    ],
  ],
  ["runtime-context", "RuntimeContext", null],
])("the schema %s is the one that this runner was written for", (name, title, required) => {
  const schema = recorded(`${name}.schema.json`);
  expect(schema).toMatchObject({ title, type: "object" });
  if (required !== null) expect(schema["required"]).toEqual(required);
});

it.each([
  [
    "claude",
    "nvidia.fabric.claude",
    "python",
    ["models", "tools", "tools.blocked", "mcp", "skills", "telemetry"],
  ],
  ["codex", "nvidia.fabric.codex", "python", ["models", "mcp", "skills", "telemetry"]],
  [
    "deepagents",
    "nvidia.fabric.langchain.deepagents",
    "python",
    ["models", "tools", "tools.blocked", "mcp", "skills", "telemetry"],
  ],
  [
    "hermes",
    "nvidia.fabric.hermes",
    "python",
    ["models", "tools", "tools.blocked", "mcp", "skills", "telemetry"],
  ],
  ["scripted", "nvidia.fabric.scripted", "process", undefined],
])("the adapter %s is described as Fabric has it", (name, id, kind, accepted) => {
  const descriptor = recorded(`adapters/${name}.fabric-adapter.json`);
  expect(descriptor).toMatchObject({ adapter_id: id, adapter_kind: kind, harness: name });
  expect((descriptor["config"] as Json | undefined)?.["accepts"]).toEqual(accepted);
  expect(accepts("adapter-descriptor", descriptor)).toBe(true);
});

it("a real run of SWE-bench: its summaries agree with its trajectory and its patch", () => {
  const result = recorded("sample-hermes-relay.result-summary.json");
  const telemetry = recorded("sample-hermes-relay.telemetry-summary.json");
  const verifier = recorded("sample-hermes-relay.verifier-summary.json");
  const patch = readFileSync(sharedFixtures("fabric/sample-hermes-relay.workspace.patch"), "utf8");
  const trace = parseTrajectory(
    readFileSync(sharedFixtures("atif/hermes-swebench.trimmed.atif.json")),
    { format: "atif", source: "hermes" },
  );

  expect(result).toMatchObject({
    fabric_status: "succeeded",
    harness: "hermes",
    adapter_id: "nvidia.fabric.hermes",
    model: "nvidia/nemotron-3-nano",
    harbor_reward: 1,
    telemetry: { provider: "relay", atof_records: 163, atif_steps: 87 },
  });
  expect(telemetry).toMatchObject({
    atof: { records: 163, kinds: { mark: 3, scope: 160 } },
    atif: { schema_version: trace.schemaVersion, session_id: trace.sessionId, steps: 87 },
  });
  expect(trace.steps).toHaveLength(87);
  expect(trace.usage).toEqual({
    promptTokens: 1_000_574,
    completionTokens: 23_764,
    cachedTokens: 0,
    costUsd: null,
  });
  const sums = trace.steps.reduce((sum, { usage }) => sum + (usage?.promptTokens ?? 0), 0);
  expect(sums).toBe(1_000_574);
  expect(verifier).toMatchObject({ resolved: true, reward: 1, pass_to_pass_failures: [] });
  expect(patch).toContain("+        kwargs.setdefault('disabled', True)");
});

const older = {
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
  artifacts: {
    root: "/w/artifacts",
    artifacts: [
      { name: "workspace_patch", kind: "patch", path: "ws.patch", media_type: "text/x-diff" },
    ],
  },
  telemetry: { relay_enabled: true, metadata: { relay_output_dir: "/w/relay" } },
  events: [
    {
      event_id: "e1",
      timestamp_millis: 1_767_323_045_000,
      kind: "runtime.started",
      message: "started",
      metadata: {},
    },
  ],
  metadata: {},
};

it("a result of the recorded schema is read, with telemetry as one object and no usage", () => {
  expect(accepts("run-result", older)).toBe(true);
  const read = runResultSchema.parse(older);
  expect(read).toMatchObject({
    status: "succeeded",
    telemetry: [{ provider: "relay", kind: "trace", uri: "/w/relay", trace_id: null }],
    artifacts: [{ name: "workspace_patch", kind: "patch" }],
    events: [{ kind: "runtime.started" }],
    usage: null,
  });
  expect(usageOfResult(read)).toEqual({});
});

it.each<[string, object, object | null]>([
  ["telemetry that is off", { telemetry: { relay_enabled: false } }, { telemetry: [] }],
  ["telemetry that is absent", { telemetry: null }, { telemetry: [] }],
  ["telemetry of another shape", { telemetry: "on" }, { telemetry: [] }],
  ["artifacts of another shape", { artifacts: [1] }, { artifacts: [] }],
  ["an artifact without a path", { artifacts: { artifacts: [{ name: "x" }] } }, { artifacts: [] }],
  ["an error of another shape", { status: "failed", error: "bad" }, { error: null }],
  [
    "negative tokens",
    { usage: { input_tokens: -1, output_tokens: 2 } },
    { usage: { input_tokens: null, output_tokens: 2 } },
  ],
  [
    "tokens that are no numbers",
    { usage: { input_tokens: true, total_tokens: "3" } },
    { usage: { input_tokens: null, total_tokens: null } },
  ],
  ["an unknown status", { status: "odd" }, null],
  ["no status", { status: undefined }, null],
])("reads %s as far as it can be used", (_name, changes, expected) => {
  const read = parseResult(new TextEncoder().encode(JSON.stringify({ ...older, ...changes })));
  if (expected === null)
    expect(read).toMatchObject({ result: null, problem: expect.stringContaining("status") });
  else expect(read.result).toMatchObject(expected);
});

it.each([
  ["a list", "[1,2]"],
  ["a torn document", '{"status": "succ'],
  ["nothing", ""],
  ["null", "null"],
])("%s is no usable result", (_name, text) => {
  expect(parseResult(new TextEncoder().encode(text)).result).toBeNull();
});

it("bytes that are no UTF-8 are no usable result", () => {
  expect(parseResult(Uint8Array.of(0xff, 0xfe, 0x00))).toEqual({
    result: null,
    problem: "it is no UTF-8 text",
  });
});

it(
  "what the stand-in answers is a result by the recorded schema",
  async () => {
    requireTool("python3");
    const trial = only(await runFabric(standInOptions({}, { captureTrajectory: true })));
    const result = JSON.parse(readEvidence(trial, "result")) as Json;
    const { telemetry, ...rest } = result;
    expect(telemetry).toEqual([]);
    expect(accepts("run-result", rest)).toBe(true);
  },
  timeoutMs,
);

it("the adapter of our tests is described by the contract of the release that is tested", () => {
  const file = join(repoRoot, "test/runners/fabric/adapter/scripted.fabric-adapter.json");
  const descriptor = JSON.parse(readFileSync(file, "utf8")) as Json;
  expect(descriptor).toMatchObject({ contract_version: "fabric.adapter/v1alpha2" });
});
