import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import { startScriptedServer } from "../../examples/coding-agent/scripted-server.mjs";
import { usageAt } from "../../examples/coding-agent/scripted-usage.mjs";
import { scripts } from "../../examples/coding-agent/scripts.mjs";
import { readTitle } from "../../examples/coding-agent/tasks.mjs";
import { readBundle } from "../../packages/assay/src/entries/bundle.ts";
import type { JsonObject, JsonValue } from "../../packages/assay/src/support/json.ts";
import { sandboxedCodex } from "../runners/codex/codex-sandbox.ts";
import { folderForCodex } from "../support/places.ts";
import { describeNeeds, itNeeds, missingTool, repoRoot } from "../support/tools.ts";

const example = join(repoRoot, "examples/coding-agent");
const assayBin = join(repoRoot, "packages/assay/bin/assay.js");

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

/** Runs a program of the checkout with its own home and caches below `folder`, which is also where it starts. */
async function start(
  argv: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  mkdirSync(folder, { recursive: true });
  const startedMs = performance.now();
  const child = spawn(process.execPath, argv, {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, XDG_CACHE_HOME: folder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => {
      resolve({ exitCode, stdout, stderr, durationMs: performance.now() - startedMs });
    });
  });
}

function readJson(...path: readonly string[]): JsonObject {
  return JSON.parse(readFileSync(join(...path), "utf8")) as JsonObject;
}

function readRows(...path: readonly string[]): readonly JsonObject[] {
  const lines = readFileSync(join(...path), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as JsonObject);
}

function at(value: JsonValue | undefined, ...keys: readonly string[]): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>(
    (found, key) => (found as JsonObject | undefined)?.[key],
    value,
  );
}

function everyFile(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

/** Processes that carry the mark of a run. */
function processesOf(runToken: string): string[] {
  const isMarked = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(runToken);
    } catch {
      // It has ended, or is somebody else's.
      return false;
    }
  };
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isMarked(name));
}

describeNeeds("codex", "the demo", () => {
  const folder = folderForCodex("demo");
  let ended: Ended;
  let bundle: string;

  beforeAll(async () => {
    ended = await start([join(example, "demo.mjs")], folder);
    if (ended.exitCode !== 0) throw new Error(`the demo failed: ${ended.stdout}${ended.stderr}`);
    const [name = ""] = readdirSync(join(folder, ".assay/runs"));
    bundle = join(folder, ".assay/runs", name);
  }, 240_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const trial = (id: string) =>
    readRows(bundle, "trials.jsonl").find((row) => row["id"] === id) ?? {};
  const attempts = () => readRows(bundle, "attempts.jsonl");
  const figure = (name: string) => {
    const figures = at(readJson(bundle, "summary.json"), "scores", "scores") as JsonObject[];
    return figures.find((score) => score["name"] === name)?.["mean"];
  };

  it("shows the summary, what made it, the bundle and its digest", () => {
    expect(ended.stdout).toContain("command-verifier.reward");
    expect(ended.stdout).toMatch(/lru-cache:codex.*the agent did not end within its 20 s/);
    expect(ended.stdout).toMatch(/codex_cli \d+\.\d+\.\d+/);
    expect(ended.stdout).toContain(bundle.slice(folder.length + 1));
    expect(ended.stdout).toMatch(/^sha256:[0-9a-f]{64}$/m);
  });

  it("says that no model took part: around the summary, in the labels and in the target", () => {
    const metadata = readJson(bundle, "metadata.json");
    const config = at(metadata, "target", "config") as JsonObject;

    expect(ended.stdout.match(/SCRIPTED: no model takes part/g)).toHaveLength(2);
    expect(ended.stdout).toContain("model_server=scripted");
    expect(metadata["labels"]).toEqual({ example: "coding-agent", model_server: "scripted" });
    expect(config["model"]).toBe("scripted-model");
    expect(at(config, "config_overrides", "model_providers.demo", "name")).toBe(
      "scripted model server, no model",
    );
  });

  it("leaves a bundle that says what was evaluated, with which settings, when and how long", () => {
    const metadata = readJson(bundle, "metadata.json");
    const started = String(metadata["started_at"]);
    const finished = String(metadata["finished_at"]);
    const elapsedS = (Date.parse(finished) - Date.parse(started)) / 1000;

    expect(metadata["target"]).toMatchObject({
      name: "codex_cli",
      kind: "runner",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      config: {
        model: "scripted-model",
        timeout_s: 20,
        codex_bin: "./node_modules/.bin/codex",
        prompt_builder: "assay#instruction",
        sandbox: missingTool("codex-sandbox") === null ? "workspace-write" : "danger-full-access",
      },
    });
    expect([started, finished]).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    ]);
    expect(Math.abs(elapsedS - Number(metadata["duration_sec"]))).toBeLessThan(0.5);
    expect(metadata["sdk_version"]).toBe(
      readJson(repoRoot, "packages/assay/package.json")["version"],
    );
  });

  it("leaves a bundle that is whole", async () => {
    const { status, trials } = await readBundle(bundle);

    expect(status).toBe("completed");
    expect(await trials.toArray()).toHaveLength(14);
  });

  it("counts the tokens of each trial as the server counted them", () => {
    const take = scripts.find(({ title }) => title === readTitle("slugify"))?.takes[0] ?? [];
    const sum = (field: "inputTokens" | "outputTokens") =>
      take.reduce((total, _step, index) => total + usageAt(take, index)[field], 0);

    for (const id of ["slugify:codex", "slugify:codex:1"]) {
      expect(trial(id)["measurements"]).toMatchObject({
        prompt_tokens: sum("inputTokens"),
        completion_tokens: sum("outputTokens"),
      });
    }
    for (const row of readRows(bundle, "trials.jsonl")) {
      if (row["status"] === "completed")
        expect(at(row, "measurements", "prompt_tokens")).toBeGreaterThan(0);
    }
  });

  it("shows passes, a failure beside a pass, confident wrong answers and partial credit", () => {
    const rewards = new Map(
      readRows(bundle, "scores.jsonl")
        .filter((row) => row["metric_type"] === "command-verifier")
        .map((row) => [row["trial_id"], row["outputs"] as JsonObject[]] as const)
        .map(([id, outputs]) => [id, outputs.find(({ name }) => name === "reward")?.["value"]]),
    );
    const reward = (id: string) => rewards.get(id);

    expect(["slugify:codex", "merge-bookings:codex:1", "csv-row:codex"].map(reward)).toEqual([
      1, 1, 1,
    ]);
    expect(["rate-limiter:codex", "rate-limiter:codex:1"].map(reward).sort()).toEqual([0, 1]);
    expect(["split-bill:codex", "split-bill:codex:1"].map(reward)).toEqual([0.625, 0.625]);
  });

  it("gives pass@1 and pass@2 with the stopped trial in the denominator", () => {
    expect(figure("command-verifier.passed.pass@1")).toBeCloseTo((4 + 0.5 + 0 + 0.5) / 7);
    expect(figure("command-verifier.passed.pass@2")).toBeCloseTo((4 + 1 + 0 + 1) / 7);
    expect(figure("agent_phase_success.agent_phase_success.pass@1")).toBeCloseTo(6.5 / 7);
    expect(figure("view.solved")).toBeCloseTo(10 / 14);
  });

  it("shows a trial that ran into its time limit, with what was there by then", () => {
    const stopped = readRows(bundle, "trials.jsonl").filter((row) => row["status"] === "partial");
    const [row] = stopped;

    expect(stopped).toHaveLength(1);
    expect(row).toMatchObject({
      task_id: "lru-cache",
      error: { type: "TimeoutError" },
      metadata: { agent_ok: false },
    });
    const ref = String(at(row, "evidence", "descriptors", "final_state", "ref"));
    expect(readdirSync(join(bundle, ref))).toContain("lru-cache.mjs");
  });

  it("keeps in the ledger what infrastructure cost: an attempt each, and no trial", () => {
    const lost = attempts().filter((row) => row["fault"] === "infrastructure");

    expect(lost.map((row) => [row["task_id"], row["error_type"]]).sort()).toEqual([
      ["csv-row", "RateLimited"],
      ["merge-settings", "ConnectionError"],
    ]);
    expect(attempts()).toHaveLength(16);
  });

  it("stores the server's key nowhere", () => {
    const key = /scripted-[0-9a-f]{32}/;
    const files = everyFile(bundle);

    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((path) => key.test(readFileSync(path, "latin1")))).toEqual([]);
    expect(ended.stdout + ended.stderr).not.toMatch(key);
  });

  it("leaves no process and no scratch directory", () => {
    const token = String(readJson(bundle, "run.json")["run_token"]);

    expect(token).toMatch(/^[0-9a-f]{16,}$/);
    expect(processesOf(token)).toEqual([]);
    expect(readdirSync(join(folder, "assay/scratch"))).toEqual([]);
  });

  it("takes less than 90 seconds", () => {
    expect(ended.durationMs).toBeLessThan(90_000);
  });

  const sameTarget =
    "records the same target, in the same bytes, from another folder and with another port";
  itNeeds(
    sandboxedCodex,
    sameTarget,
    async () => {
      const apiKey = "key-of-another-run-1f2e3d";
      const server = await startScriptedServer({ scripts, apiKey });
      const other = join(folder, "elsewhere");
      const suite = join(example, "coding.eval.ts");
      const flags = ["-P", "model_server=scripted", "--task", "slugify", "--trials", "1"];
      const env = { CODING_AGENT_BASE_URL: server.url, CODING_AGENT_API_KEY: apiKey };
      const again = await start([assayBin, "run", suite, ...flags, "--out", "out"], other, env);
      await server.close();
      const targetOf = (dir: string) => JSON.stringify(readJson(dir, "metadata.json")["target"]);

      expect(again.exitCode, again.stderr).toBe(0);
      expect(targetOf(join(other, "out"))).toBe(targetOf(bundle));
    },
    60_000,
  );

  it("is refused where Codex could not work, and nothing is written", async () => {
    const other = join(folder, "refused");
    const suite = join(example, "coding.eval.ts");
    const flags = ["-P", "model_server=scripted", "--out", "out"];
    const env = {
      CODING_AGENT_BASE_URL: "http://127.0.0.1:9",
      CODING_AGENT_API_KEY: "scripted-key",
    };
    const inTemporary = await start([assayBin, "run", suite, ...flags], other, {
      ...env,
      CODEX_HOME: "/tmp/codex-home",
    });
    const withoutKey = await start([assayBin, "run", suite, ...flags], other, {
      CODING_AGENT_BASE_URL: env.CODING_AGENT_BASE_URL,
    });

    expect([inTemporary.exitCode, withoutKey.exitCode]).toEqual([3, 3]);
    expect(inTemporary.stderr).toContain(
      'CODEX_HOME "/tmp/codex-home" lies in the temporary directory',
    );
    expect(withoutKey.stderr).toContain("CODING_AGENT_API_KEY");
    expect(readdirSync(other)).not.toContain("out");
  }, 60_000);
});
