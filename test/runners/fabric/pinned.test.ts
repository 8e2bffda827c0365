import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, onTestFinished } from "vitest";

import type { Trial } from "../../../packages/assay/src/contracts/runner.ts";
import { type FabricOptions, fabric } from "../../../packages/assay/src/runners/fabric/index.ts";
import { fabricRunner } from "../../../packages/assay/src/runners/fabric/runner.ts";
import type { JsonObject } from "../../../packages/assay/src/support/json.ts";
import { itNeeds, requireTool } from "../../support/tools.ts";
import {
  evidencePath,
  type FabricRun,
  givenTo,
  only,
  readEvidence,
  runFabric,
  runUntil,
  standInOptions,
  standInWithoutRelay,
  timeoutMs,
} from "./run-fabric.ts";

const python = "python3";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "assay-fabric-test-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

itNeeds(
  python,
  "a success has its text, the tokens of its trajectory, and all of its evidence",
  async () => {
    const captured: Partial<FabricOptions> = { captureTrajectory: true };
    const settings = { artifacts: ["ws.patch", "trace", "../../../outside.patch"] };
    const run = await runFabric(standInOptions(settings, captured));
    const trial = only(run);

    expect(trial.error).toBeNull();
    expect(trial).toMatchObject({
      id: "task-1:fabric",
      status: "completed",
      output: { outputText: "done", response: { response: "done" } },
      measurements: { promptTokens: 10, completionTokens: 2, cacheReadTokens: null },
      metadata: {
        runtime: "fabric",
        harness: "stand-in",
        adapter_id: "stand-in",
        adapter_kind: "process",
        invocation_id: "invocation-1",
        agent_model: "openai/test",
        generated: true,
        agent_ok: true,
        trace_format: "atif",
        isolation: "none",
      },
    });
    // An artifact outside of the attempt's folder is left out; one of a taken name gets another.
    expect(Object.keys(trial.evidence?.descriptors ?? {}).sort()).toEqual(
      ["final_state", "logs", "result", "task", "trace", "trace-2", "ws.patch"].sort(),
    );
    expect(trial.evidence?.descriptors).toMatchObject({
      trace: { kind: "trace", format: "atif" },
      "ws.patch": { kind: "patch", metadata: { media_type: "text/x-diff" } },
      result: { metadata: { events: [{ kind: "runtime_start", message: "started" }] } },
    });
    expect(JSON.parse(readEvidence(trial, "result"))).toMatchObject({ status: "succeeded" });
    expect(run.tool).toMatchObject({
      version: "0.5.0",
      resolved: { packages: { "nemo-fabric": "0.5.0" }, adapter_contract: expect.any(String) },
    });
    expect(run.leftBehind).toBe(0);
  },
  timeoutMs,
);

interface EndingCase {
  readonly name: string;
  readonly settings: JsonObject;
  readonly expected: object;
}

const failed = (code: string, message: string): JsonObject => ({
  behaviour: "ends",
  status: "failed",
  error: { stage: "invoke", code, message, retryable: false },
});

const partial = (type: string, message: string) => ({
  status: "partial",
  error: { type, message: expect.stringContaining(message) },
});

const endings: readonly EndingCase[] = [
  {
    name: "a failed result with a time limit of the adapter's: its type, its text, its tokens",
    settings: { ...failed("adapter_timeout", "too slow"), output: { response: "half" } },
    expected: {
      ...partial("TimeoutError", "invoke adapter_timeout: too slow"),
      output: { outputText: "half" },
      measurements: { promptTokens: 10 },
      metadata: { fabric_error: { stage: "invoke", code: "adapter_timeout" }, agent_ok: false },
    },
  },
  {
    name: "a cancelled run",
    settings: { behaviour: "ends", status: "cancelled" },
    expected: partial("AgentExitError", "the run did not succeed: cancelled"),
  },
  {
    name: "an exception of Fabric, whose code is in its text",
    settings: {
      behaviour: "fails",
      error: {
        message: "adapter lifecycle invoke failed for runtime `r` (host_crashed): gone",
        stage: "invoke",
      },
    },
    expected: {
      ...partial("AgentExitError", "host_crashed"),
      metadata: { fabric_error: { stage: "invoke", code: "host_crashed" } },
    },
  },
  {
    name: "a harness that cannot be started",
    settings: { behaviour: "fails", error: { message: "no such harness", stage: "start" } },
    expected: { status: "failed", error: { type: "RunnerError" } },
  },
  {
    name: "a credential that the endpoint does not take",
    settings: failed("turn_failed", "unexpected status 401 Unauthorized"),
    expected: { status: "failed", error: { type: "MissingCredential" } },
  },
  {
    name: "an endpoint that is gone, at both attempts",
    settings: failed("turn_failed", "stream disconnected before completion"),
    expected: { status: "failed", error: { type: "ConnectionError" }, attempts: [{}, {}] },
  },
  {
    name: "a driver that dies with its agent",
    settings: { behaviour: "dies" },
    expected: partial("AgentExitError", "ended with status 3 and no result: dying"),
  },
  {
    name: "a driver that its agent kills",
    settings: { behaviour: "is-killed" },
    expected: partial("AgentExitError", "ended with signal SIGKILL and no result"),
  },
  {
    name: "an agent that speaks like the driver: none of it is believed",
    settings: { behaviour: "disguised" },
    expected: { status: "completed", output: { outputText: "my own" } },
  },
  {
    name: "a number that is none",
    settings: { behaviour: "odd-number" },
    expected: partial("AgentExitError", "Out of range float"),
  },
  {
    name: "half a character in a reply",
    settings: { behaviour: "half-a-character" },
    expected: { status: "completed", output: { outputText: "\ud83d half" } },
  },
  {
    name: "a result that is no object",
    settings: { behaviour: "garbage" },
    expected: {
      ...partial("OutputUnreadable", "no usable result"),
      output: null,
    },
  },
  {
    name: "a result without a status",
    settings: { behaviour: "ends", status: "odd" },
    expected: partial("OutputUnreadable", "status"),
  },
  {
    name: "a blank reply",
    settings: { behaviour: "says", output: { response: " " } },
    expected: partial("BlankReply", "blank"),
  },
  {
    name: "no reply at all",
    settings: { behaviour: "says", output: null },
    expected: { ...partial("BlankReply", "blank"), output: null },
  },
  {
    name: "a text",
    settings: { behaviour: "says", output: "as it is" },
    expected: { status: "completed", output: { outputText: "as it is" } },
  },
  {
    name: "the first text of the usual places",
    settings: { behaviour: "says", output: { message: "later", text: "first", response: 4 } },
    expected: { status: "completed", output: { outputText: "first" } },
  },
  {
    name: "an output of another shape, as JSON",
    settings: { behaviour: "says", output: { answer: [1, 2] } },
    expected: { status: "completed", output: { outputText: '{"answer":[1,2]}' } },
  },
  {
    name: "tokens that the result tells win, field by field",
    settings: {
      usage: { input_tokens: 7, cached_input_tokens: 5, input_tokens_include_cache: false },
    },
    expected: {
      status: "completed",
      measurements: { promptTokens: 12, cacheReadTokens: 5, completionTokens: 2 },
    },
  },
  {
    name: "a trajectory without totals is summed up",
    settings: { step_metrics: [{ prompt_tokens: 3 }, { prompt_tokens: 4, completion_tokens: 1 }] },
    expected: { measurements: { promptTokens: 7, completionTokens: 1 } },
  },
];

/** All of them in one run: to start Python for each alone would take minutes on a busy machine. */
let ended: Promise<FabricRun> | null = null;
const leftovers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const dispose of leftovers) await dispose();
});

async function trialOf(name: string): Promise<Trial | undefined> {
  const cases = Object.fromEntries(endings.map((ending) => [ending.name, ending.settings]));
  const tasks = endings.map((ending) => ({
    id: ending.name,
    inputs: { instruction: ending.name },
  }));
  const options = standInOptions({ cases }, { captureTrajectory: true });
  const later = (dispose: () => Promise<void>) => void leftovers.push(dispose);
  ended ??= runUntil(later, fabricRunner(options), { tasks });
  return (await ended).trials.find(({ taskId }) => taskId === name);
}

it.each(endings)(
  "ends as it should: $name",
  async ({ name, settings, expected }) => {
    requireTool(python);
    const trial = await trialOf(name);
    expect(trial).toMatchObject(expected);
    if (trial?.status === "partial" && settings["behaviour"] !== "says") {
      const { error_type: type } = JSON.parse(readEvidence(trial, "error"));
      expect(type).toEqual(expect.any(String));
    }
  },
  timeoutMs,
);

itNeeds(
  python,
  "an endpoint that was busy costs an attempt, not the trial",
  async () => {
    const options = standInOptions({ behaviour: "flaky" }, { env: { STAND_IN_MARKS: folder() } });
    expect(only(await runFabric(options))).toMatchObject({
      status: "completed",
      attempts: [
        { cause: "infrastructure", errorType: "RateLimited" },
        { cause: "ended", errorType: null },
      ],
    });
  },
  timeoutMs,
);

itNeeds(
  python,
  "a bad seed and a missing instruction fail their trial alone, and no harness is started for them",
  async () => {
    const tasks = [
      { inputs: { instruction: "Go", files: { "../escape.txt": "x" } } },
      { inputs: {} },
      { inputs: { instruction: "Say hello", files: { "a.txt": "a" } } },
    ];
    const { trials } = await runFabric(standInOptions(), { tasks });
    const byTask = new Map(trials.map((trial) => [trial.taskId, trial]));

    expect(byTask.get("task-1")).toMatchObject({
      status: "failed",
      error: { type: "WorkspaceSeedError" },
    });
    expect(byTask.get("task-2")).toMatchObject({
      status: "failed",
      error: { type: "MissingInstruction" },
    });
    const good = byTask.get("task-3");
    expect(good?.status).toBe("completed");
    if (good !== undefined)
      expect(givenTo(good)).toMatchObject({ input: "Say hello", seeds: ["a.txt"] });
  },
  timeoutMs,
);

itNeeds(
  python,
  "an agent gets the instruction alone, a private home, the allowed variables, and secrets by environment",
  async () => {
    const secrets = { MODEL_KEY: "sk-test-0123456789abcdef" };
    const host = { LEAKED: "no", HTTPS_PROXY: "http://proxy.example" };
    const options = standInOptions(
      {},
      {
        inheritEnv: ["PYTHONPATH", "HTTPS_PROXY"],
        env: { COLOR: "0" },
        profiles: [{ environment: { workspace: "/elsewhere", env_names: ["MODEL_KEY"] } }],
      },
    );
    const task = { intent: "INTENT", reference: { answer: "REFERENCE" } };
    const { trials, scratch } = await runFabric(options, { tasks: [task], secrets, env: host });
    const trial = trials[0];
    if (trial === undefined) throw new Error("no trial");
    const given = givenTo(trial);

    expect(given.env).toMatchObject({
      MODEL_KEY: secrets.MODEL_KEY,
      COLOR: "0",
      HTTPS_PROXY: host.HTTPS_PROXY,
    });
    expect(given.env).not.toHaveProperty("LEAKED");
    expect(given.env["HOME"]).toContain(scratch);
    expect(given.env["TMPDIR"]).toContain(scratch);
    expect(given.config.environment).toMatchObject({
      provider: "local",
      workspace: evidencePath(trial, "final_state"),
      env_names: ["MODEL_KEY", "ASSAY_RUN_MARK", "ASSAY_PROCESS_MARK"],
    });
    expect(JSON.stringify({ ...given, env: null })).not.toMatch(/INTENT|REFERENCE|sk-test/);
  },
  timeoutMs,
);

itNeeds(
  python,
  "two runs of two tasks use folders of their own",
  async () => {
    const run = () => runFabric(standInOptions(), { tasks: [{}, {}] });
    const [first, second] = await Promise.all([run(), run()]);
    const places = [...first.trials, ...second.trials].map((trial) =>
      evidencePath(trial, "final_state"),
    );
    expect(new Set(places).size).toBe(4);
  },
  timeoutMs,
);

itNeeds(
  python,
  "a time limit ends the harness and its processes; of two trajectories none is taken, of one it is",
  async () => {
    const timed = (sessions: string[]) =>
      runFabric(
        standInOptions(
          { behaviour: "never-ends", sessions },
          {
            captureTrajectory: true,
            // On a busy machine an interpreter alone takes seconds to start.
            timeoutS: 10,
          },
        ),
      );
    const [two, one] = await Promise.all([timed(["a", "b"]), timed(["a"])]);

    for (const run of [one, two]) {
      expect(only(run)).toMatchObject({
        status: "partial",
        error: { type: "TimeoutError" },
        attempts: [{ cause: "timeout", fault: "target" }],
      });
      expect(readEvidence(only(run), "error")).toContain("stopped before its end");
      expect(run.leftBehind).toBe(0);
    }
    expect(only(one)).toMatchObject({ measurements: { promptTokens: 10 } });
    expect(only(two)).toMatchObject({
      measurements: { promptTokens: null },
      metadata: { trajectory_count: 2 },
    });
    expect(only(two).evidence?.descriptors).not.toHaveProperty("trace");
  },
  timeoutMs,
);

itNeeds(
  python,
  "skills are copied, told by name and content, and refused where the harness takes none",
  async () => {
    const baseDir = folder();
    mkdirSync(join(baseDir, "review/scripts"), { recursive: true });
    writeFileSync(join(baseDir, "review/SKILL.md"), "# Review\n");
    writeFileSync(join(baseDir, "review/scripts/run.sh"), "true\n");
    const skills = [{ name: "review", directory: "review" }];
    const run = await runFabric(standInOptions({}, { skills }), { baseDir });
    const trial = only(run);
    const [path = ""] = Object.keys(givenTo(trial).skills);

    // sha256 of "SKILL.md\0# Review\n\0scripts/run.sh\0true\n\0"
    const hash = "e565f387b5cd256d90aecc17c1f4769f58ae7bcd928cef7f3114fb73e767aaf7";
    expect(trial.metadata["skills"]).toEqual([
      { name: "review", hash, mode: "native", adapter_id: "stand-in", location: "skill/review" },
    ]);
    expect(run.tool?.resolved).toMatchObject({ skills_sha256: { review: hash } });
    expect(path).toContain(run.scratch);
    expect(givenTo(trial).skills[path]).toEqual(["SKILL.md", "scripts"]);

    const refused = runFabric(standInOptions({ refuses_skills: true }, { skills }), { baseDir });
    await expect(refused).rejects.toMatchObject({
      code: "ASSAY_CONFIG_INVALID",
      message: expect.stringContaining('has no way to take skills: "review"'),
    });
    const missing = [{ name: "other", directory: "other" }];
    await expect(
      runFabric(standInOptions({}, { skills: missing }), { baseDir }),
    ).rejects.toMatchObject({
      code: "ASSAY_CONFIG_INVALID",
      message: expect.stringContaining('there is no SKILL.md in "other"'),
    });
  },
  timeoutMs,
);

interface RefusedCase {
  readonly name: string;
  readonly options: Partial<FabricOptions>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
}

const harness = (adapterId: string, settings: JsonObject = {}) => ({
  config: { harness: { adapter_id: adapterId, settings } },
});

const refused: readonly RefusedCase[] = [
  {
    name: "an interpreter that is not there",
    options: { python: "python-that-is-not" },
    code: "ASSAY_TOOL_NOT_FOUND",
    message: "'python-that-is-not' was not found on PATH",
    remedy: "pip install",
  },
  {
    name: "an interpreter without the package",
    options: {},
    env: { PYTHONPATH: "/nonexistent" },
    code: "ASSAY_TOOL_NOT_FOUND",
    message: "has no nemo-fabric: No module named 'nemo_fabric'",
    remedy: "pip install",
  },
  {
    name: "something that is no interpreter",
    options: { python: "true" },
    code: "ASSAY_TOOL_UNUSABLE",
    message: "does not run Assay's driver",
  },
  {
    name: "an adapter that is not installed",
    options: harness("unknown"),
    code: "ASSAY_TOOL_NOT_FOUND",
    message: "unknown adapter `unknown`",
    remedy: "nemo-fabric[codex]",
  },
  {
    name: "a configuration without a harness",
    options: { config: { models: {} } },
    code: "ASSAY_CONFIG_INVALID",
    message: "harness.adapter_id or workflow.target_id is required",
  },
  {
    name: "a harness without Relay, when trajectories are to be captured",
    options: { ...harness("no-relay"), captureTrajectory: true },
    code: "ASSAY_CONFIG_INVALID",
    message: "does not support `telemetry.providers` value `relay`",
    remedy: "capture_trajectory",
  },
  {
    name: "a variable that the adapter needs",
    options: harness("stand-in", { needs_variable: "NVIDIA_API_KEY" }),
    code: "ASSAY_TOOL_UNUSABLE",
    message: "missing environment variable `NVIDIA_API_KEY`",
    remedy: "secrets",
  },
  {
    name: "Relay that is not there, when trajectories are to be captured",
    options: { captureTrajectory: true },
    env: { PYTHONPATH: standInWithoutRelay },
    code: "ASSAY_TOOL_NOT_FOUND",
    message: "NeMo Relay",
    remedy: "nemo-fabric[relay]",
  },
];

it.each(refused)(
  "refused before any trial: $name",
  async ({ options, env = {}, code, message, remedy = "" }) => {
    requireTool(python);
    const run = runFabric(standInOptions({}, options), { env });
    await expect(run).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
      remedy: expect.stringContaining(remedy),
    });
  },
  timeoutMs,
);

it("a wrong name of a variable and two skills of one name are refused when options are read", () => {
  const make = (options: Partial<FabricOptions>) => () => fabric(standInOptions({}, options));
  expect(make({ env: { "A B": "x" } })).toThrow('env: "A B" is no variable name');
  const twice = [
    { name: "a", directory: "a" },
    { name: "a", directory: "b" },
  ];
  expect(make({ skills: twice })).toThrow("skills: two skills have the same name");
});
