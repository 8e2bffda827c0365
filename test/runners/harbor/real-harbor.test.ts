import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runHarborEval } from "assay";
import { expect } from "vitest";

import { startAssay } from "../../cli/e2e/assay-process.ts";
import { harborProgram, itNeeds } from "../../support/tools.ts";
import { folder } from "./harbor-kit.ts";

const timeoutMs = 400_000;
const needs = ["harbor", "compose"];

/** The variables by which the engine and Compose are found. */
const dockerEnv = Object.fromEntries(
  ["DOCKER_HOST", "DOCKER_CONFIG"].flatMap((name) => {
    const value = name === "DOCKER_CONFIG" ? dockerConfig() : process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

function dockerConfig(): string {
  return process.env["DOCKER_CONFIG"] ?? join(process.env["HOME"] ?? "/", ".docker");
}

/** Harbor asks for bash, and its containers sleep: they end at once only when they are killed. */
const dockerfile = `FROM assay-test/base:1
STOPSIGNAL SIGKILL
RUN printf '#!/bin/sh\\nexec /bin/sh "$@"\\n' > /bin/bash && chmod 755 /bin/bash && mkdir -p /app
WORKDIR /app
`;

const test = `#!/bin/sh
if [ "$(cat /app/out.txt 2>/dev/null)" = 4 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
`;

function realTask(dataset: string, name: string, solution: string, agentTimeoutS = 60): void {
  const files = {
    "task.toml": `version = "1.0"
[task]
name = "acme/${name}"
[agent]
timeout_sec = ${agentTimeoutS}.0
[verifier]
timeout_sec = 30.0
[environment]
build_timeout_sec = 120.0
`,
    "instruction.md": "Write 4 to /app/out.txt.\n",
    "environment/Dockerfile": dockerfile,
    "tests/test.sh": test,
    "solution/solve.sh": `#!/bin/sh\n${solution}\n`,
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dataset, name, file)), { recursive: true });
    writeFileSync(join(dataset, name, file), text, { mode: 0o755 });
  }
}

/** Containers and processes that know of a folder. */
function leftOf(root: string): readonly string[] {
  const format = '{{.Names}} {{.Label "com.docker.compose.project.config_files"}}';
  const containers = execFileSync("docker", ["ps", "--all", "--no-trunc", "--format", format], {
    encoding: "utf8",
  });
  const processes = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
  return [...containers.split("\n"), ...processes.split("\n")].filter((line) =>
    line.includes(root),
  );
}

itNeeds(
  needs,
  "a real Harbor's oracle solves a task, runs out of time at another, and its nop solves none",
  async () => {
    const root = folder();
    realTask(join(root, "ds"), "add-two", "echo 4 > /app/out.txt");
    realTask(join(root, "ds"), "slow", "sleep 100", 1);
    const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], ...dockerEnv };
    const evaluator = { cwd: root, env, scratchParent: join(root, "scratch") };
    const harborBin = harborProgram();

    const [oracle, nop] = await Promise.all([
      runHarborEval("ds", { harborBin }, { evaluator }),
      runHarborEval("ds", { harborBin, agentName: "nop" }, { evaluator, taskNames: ["add-two"] }),
    ]);

    const trials = await oracle.trials.toArray();
    const [solved, late] = ["acme/add-two", "acme/slow"].map((id) =>
      trials.find(({ taskId }) => taskId === id),
    );
    expect(solved).toMatchObject({ status: "completed", error: null, metadata: { reward: 1 } });
    expect(solved?.evidence?.descriptors).toHaveProperty("log:agent/oracle.txt");
    expect(late).toMatchObject({
      status: "partial",
      error: { type: "AgentTimeoutError", occurredAt: expect.stringMatching(/^\d{4}-/) },
      metadata: { reward: 0, agent_ok: false },
    });
    expect(await nop.trials.toArray()).toMatchObject([
      { status: "completed", metadata: { reward: 0, agent: "nop" } },
    ]);
    expect(oracle.metadata.target?.version).toMatch(/^0\.\d+\.\d+$/);
    expect(leftOf(root)).toStrictEqual([]);
  },
  timeoutMs,
);

itNeeds(
  needs,
  "a real Harbor that is killed half-way leaves its finished trials; the resumed run asks for the rest, and nothing is left",
  async () => {
    const root = folder();
    realTask(join(root, "ds"), "a-quick", "echo 4 > /app/out.txt");
    realTask(join(root, "ds"), "b-slow", "sleep 20; echo 4 > /app/out.txt");
    writeFileSync(
      join(root, "suite.mjs"),
      `import { defineSuite } from "assay";
import { harborReward } from "assay/metrics";
import { harbor, loadHarborTasks } from "assay/runners";
export default defineSuite({
  name: "killed",
  tasks: await loadHarborTasks("ds", { baseDir: import.meta.dirname }),
  metrics: [harborReward()],
  target: harbor({ harborBin: ${JSON.stringify(harborProgram())}, nConcurrentTrials: 2 }),
});
`,
    );
    const start = (...more: readonly string[]) =>
      startAssay(["run", "suite.mjs", "--out", "run", ...more], { cwd: root, env: dockerEnv });
    const rows = () => {
      try {
        return readFileSync(join(root, "run/trials.jsonl"), "utf8")
          .trim()
          .split("\n")
          .filter(Boolean);
      } catch {
        return [];
      }
    };

    const first = start();
    const ended = first.ended.then((result) => {
      throw new Error(`it ended before it was killed: ${result.stderr}`);
    });
    const finished = (async () => {
      while (rows().length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
    })();
    await Promise.race([finished, ended]);
    ended.catch(() => {});
    first.kill("SIGKILL");
    await first.ended;
    const kept = rows().map((row) => JSON.parse(row));
    expect(kept).toMatchObject([{ task_id: "acme/a-quick", status: "completed" }]);
    expect(leftOf(root)).not.toStrictEqual([]);

    const resumed = await start("--resume", "--json").ended;

    expect(resumed.stderr).not.toContain("Error");
    expect(resumed.exitCode).toBe(0);
    const after = rows().map((row) => JSON.parse(row));
    expect(
      after.map(({ task_id, status, metadata }) => [task_id, status, metadata.reward]),
    ).toStrictEqual([
      ["acme/a-quick", "completed", 1],
      ["acme/b-slow", "completed", 1],
    ]);
    expect(after[0].id).toBe(kept[0].id);
    expect(leftOf(root)).toStrictEqual([]);
  },
  timeoutMs,
);
