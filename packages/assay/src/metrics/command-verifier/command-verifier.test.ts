import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import { makeTree } from "../../../../../test/support/trees.ts";
import type { JsonObject } from "../../support/json.ts";
import { metricConformance } from "../../testing/metric-conformance.ts";
import { commandVerifier } from "./index.ts";

type Settings = Parameters<typeof commandVerifier>[0];

const suite = makeTree({
  "tasks/sum/held-out/check.sh": 'test "$(cat answer.txt)" = 5',
  "tasks/sum/held-out/data/expected.txt": "5",
  "tasks/product/held-out/check.sh": 'test "$(cat answer.txt)" = 6',
  "reward.sh": "echo 0.75 > reward.txt",
  "secret.txt": "outside of the tasks",
});
const workspace = makeTree({
  "answer.txt": "5",
  "reward.json": '{"reward": 1}',
  "reward.txt": "1",
  "check.sh": "exit 0",
  "sub/here.txt": "",
});
afterAll(() => {
  suite.remove();
  workspace.remove();
});

const context = metricContextOf({ baseDir: suite.root });

async function verify(settings: Settings, taskId = "sum") {
  const input = metricInput({ taskId, finalState: workspace.root });
  const result = await commandVerifier(settings).compute(input, context);
  const [diagnostic] = result.diagnostics ?? [];
  return { outputs: result.outputs, diagnostic, details: diagnostic?.details ?? {} };
}

const shell = (script: string): [string, ...string[]] => ["sh", "-c", script];

describe("commandVerifier", () => {
  it.each([
    ["exit 0", 1],
    ["exit 1", 0],
    ["kill -9 $$", 0],
    ["echo 0.5 > reward.txt", 0.5],
    ["echo 0.5 > reward.txt; exit 3", 0.5],
    ["echo '{\"reward\": 0.25}' > reward.json; echo 1 > reward.txt", 0.25],
    ["echo 2 > reward.json", 2],
    ["test $(cat answer.txt) = 5", 1],
  ])("%s gives the reward %d", async (script, reward) => {
    expect((await verify({ command: shell(script) })).outputs).toStrictEqual({ reward });
  });

  it("does not believe reward files that the agent left", async () => {
    const { outputs, details } = await verify({ command: shell("exit 1") });

    expect(outputs).toStrictEqual({ reward: 0 });
    expect(details["reward_source"]).toBe("exit code");
  });

  it("lays held-out files over the agent's own, and leaves the evidence as it was", async () => {
    const before = readdirSync(workspace.root, { recursive: true });

    const passed = await verify({ command: ["sh", "check.sh"], files: { "check.sh": "exit 1" } });

    expect(passed.outputs).toStrictEqual({ reward: 0 });
    expect(readdirSync(workspace.root, { recursive: true })).toStrictEqual(before);
  });

  it("takes the held-out folder of each task", async () => {
    const settings: Settings = {
      command: ["sh", "check.sh"],
      directory: "tasks/{{ item.task.id }}/held-out",
    };

    expect((await verify(settings, "sum")).outputs).toStrictEqual({ reward: 1 });
    expect((await verify(settings, "product")).outputs).toStrictEqual({ reward: 0 });
    expect(existsSync(join(workspace.root, "data"))).toBe(false);
  });

  it("says in each score by which held-out files it was made", async () => {
    const settings: Settings = {
      command: shell("true"),
      directory: "tasks/{{ item.task.id }}/held-out",
    };
    const digest = async (taskId: string) =>
      (await verify(settings, taskId)).details["held_out_digest"];

    expect(await digest("sum")).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await digest("sum")).toBe(await digest("sum"));
    expect(await digest("sum")).not.toBe(await digest("product"));
  });

  it("takes single files: text, bytes, and a file of the suite", async () => {
    const { outputs, details } = await verify({
      command: shell("cat a.txt b.txt deep/c.sh; sh deep/c.sh"),
      files: {
        "a.txt": "text {{ as it is }}",
        "b.txt": { kind: "inline", content: "Ynl0ZXM=", encoding: "base64" },
        "deep/c.sh": { kind: "path", path: "reward.sh" },
      },
    });

    expect(outputs).toStrictEqual({ reward: 0.75 });
    expect(details["stdout_tail"]).toBe("text {{ as it is }}bytesecho 0.75 > reward.txt");
  });

  it("runs where it is told to, and reads the reward there", async () => {
    const { outputs } = await verify({
      command: shell("ls here.txt && echo 0.5 > reward.txt"),
      cwd: "sub",
    });

    expect(outputs).toStrictEqual({ reward: 0.5 });
  });

  it("gives the command the environment that is declared, and a home of its own", async () => {
    const { details } = await verify({
      command: shell('echo "$LEVEL $HOME"'),
      env: { LEVEL: "hard" },
    });

    expect(details["stdout_tail"]).toMatch(/^hard .*assay-verifier-/);
  });

  it("gives 0 with a warning when the time is over, whatever was written before", async () => {
    const { outputs, diagnostic } = await verify({
      command: shell("echo 1 > reward.txt; echo begun; sleep 30"),
      timeoutS: 0.5,
    });

    expect(outputs).toStrictEqual({ reward: 0 });
    expect(diagnostic).toMatchObject({
      severity: "warning",
      message: "the reward is 0: the verifier was stopped by its time limit",
      details: { reward_source: "nothing", stdout_tail: "begun\n" },
    });
  });

  it("keeps 2 KiB of what was printed", async () => {
    const { details } = await verify({ command: shell("seq 1 5000; seq 1 3000 >&2") });

    expect(details["stdout_tail"]).toHaveLength(2048);
    expect(details["stdout_tail"]).toMatch(/\n5000\n$/);
    expect(details["stderr_tail"]).toMatch(/\n3000\n$/);
  });

  it("names the rewards that it read, and why it refused others", async () => {
    const rewards = { reward: 0.5, style: 1, ok: true, "best.pass@3": 1 };
    const { outputs, diagnostic } = await verify({
      command: shell(`echo '${JSON.stringify(rewards)}' > reward.json`),
    });

    expect(outputs).toStrictEqual({ reward: 0.5 });
    expect(diagnostic).toMatchObject({
      severity: "warning",
      details: {
        reward_details: { reward: 0.5, style: 1 },
        reward_rejections: { ok: "boolean", "best.pass@3": "reserved_key" },
      },
    });
  });

  it("adds whether the reward reaches the threshold", async () => {
    const command = shell("echo 0.5 > reward.txt");

    expect((await verify({ command, threshold: 0.5, outputName: "score" })).outputs).toStrictEqual({
      score: 0.5,
      passed: true,
    });
    expect((await verify({ command, threshold: 0.6 })).outputs).toStrictEqual({
      reward: 0.5,
      passed: false,
    });
  });

  it("ends the command when it is cancelled", async () => {
    const controller = new AbortController();
    const input = metricInput({ finalState: workspace.root });
    const computed = commandVerifier({ command: shell("sleep 30") }).compute(
      input,
      metricContextOf({ signal: controller.signal }),
    );
    controller.abort();

    await expect(computed).rejects.toMatchObject({ code: "ASSAY_CANCELLED" });
  });

  it("has time for its command and more", () => {
    expect(commandVerifier({ command: ["true"], timeoutS: 90 }).timeoutMs).toBeGreaterThan(90_000);
  });
});

describe("held-out places", () => {
  it.each(["../../secret.txt", "/etc/passwd", "a/../../../x"])(
    "a task called %j does not lead out of the suite",
    async (taskId) => {
      const settings: Settings = { command: ["true"], directory: "{{ item.task.id }}" };

      await expect(verify(settings, taskId)).rejects.toMatchObject({ code: "ASSAY_PATH_ESCAPES" });
    },
  );

  it("a file that a task lacks is named", async () => {
    const settings: Settings = {
      command: ["true"],
      files: { "t.py": { kind: "path", path: "tasks/{{ item.task.id }}/t.py" } },
    };

    await expect(verify(settings)).rejects.toThrow(
      /held-out file .*tasks\/sum\/t\.py cannot be read/,
    );
  });

  it.each<[string, Settings, string]>([
    [
      "a folder that is not there",
      { command: ["x"], directory: "nowhere" },
      "command-verifier.directory: there is no directory at",
    ],
    [
      "a file in place of a folder",
      { command: ["x"], directory: "reward.sh" },
      "there is no directory at",
    ],
    [
      "a file that is not there",
      { command: ["x"], files: { a: { kind: "path", path: "nowhere.sh" } } },
      "command-verifier.files.a: there is no file at",
    ],
  ])("preflight refuses %s", async (_case, settings, problem) => {
    await expect(commandVerifier(settings).preflight?.(context)).rejects.toThrow(problem);
  });

  it("preflight accepts places that are there, and those that depend on the task", async () => {
    const metric = commandVerifier({
      command: ["x"],
      directory: "tasks/{{ item.task.id }}/held-out",
      files: { a: { kind: "path", path: "reward.sh" }, b: "text" },
    });

    await expect(metric.preflight?.(context)).resolves.toBeUndefined();
  });

  it("a template that is no template is refused when the metric is made", () => {
    expect(() => commandVerifier({ command: ["x"], directory: "{{ item.task.id" })).toThrow(
      "command-verifier.directory: syntax error",
    );
  });
});

it("redacts what the command said before its tail is taken", async () => {
  const secret = "Kx9vLq2TzR7wYp4MnBc8";
  const redact = (text: string) => text.replaceAll(secret, "<redacted>");
  const input = metricInput({ taskId: "sum", finalState: workspace.root });
  const say = `printf '%s%02040d' ${secret} 0`;

  const { diagnostics } = await commandVerifier({
    command: shell(`${say}; { ${say}; } >&2`),
  }).compute(input, { ...context, redact });

  expect(JSON.stringify(diagnostics)).toContain("acted>000");
  expect(JSON.stringify(diagnostics)).not.toContain("4MnBc8");
});

describe("keeps the contract", () => {
  const make = () =>
    commandVerifier({ command: shell("echo 0.5 > reward.txt"), threshold: 0.5, files: { a: "b" } });
  const details: JsonObject = {};
  const cases = [
    { name: "a reward", input: metricInput({ finalState: workspace.root, metadata: details }) },
  ];

  for (const { name, run } of metricConformance({ make, cases, context })) it(name, run);
});
