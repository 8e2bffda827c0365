import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";

import { startAssay } from "../../cli/e2e/assay-process.ts";
import { gymProgram, itNeeds } from "../../support/tools.ts";

/** The first start makes an environment for each server, which takes minutes, on a busy machine ten. */
const timeoutMs = 1_800_000;
const modelKey = "sk-quiet-otter-parade-41-key";
/** How uv reaches packages from this machine, for the first start. */
const network = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(UV_.*|SSL_CERT_(FILE|DIR)|HTTPS_PROXY|https_proxy)$/.test(name),
  ),
) as Readonly<Record<string, string>>;
/** A question that the model answers only when it is let go. */
const held = "and what is it like in oslo?";

interface ModelServer {
  readonly url: string;
  letGo(): void;
}

/** Calls the tool once, then says how it is; as an endpoint of chat completions does. */
async function startModel(): Promise<ModelServer> {
  let isLetGo = false;
  const waiting: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (body.includes(held) && !isLetGo)
      await new Promise<void>((resolve) => waiting.push(resolve));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(completion(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const letGo = () => {
    isLetGo = true;
    for (const resolve of waiting.splice(0)) resolve();
  };
  onTestFinished(() => {
    letGo();
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, letGo };
}

function completion(body: string): object {
  const { messages } = JSON.parse(body) as { readonly messages: readonly { role: string }[] };
  const isDone = messages.at(-1)?.role === "tool";
  const call = { name: "get_weather", arguments: '{"city":"Oslo"}' };
  const message = isDone
    ? { role: "assistant", content: "It is cold." }
    : {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: call }],
      };
  const choices = [{ index: 0, message, finish_reason: isDone ? "stop" : "tool_calls" }];
  const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };
  return { id: "x", object: "chat.completion", created: 1, model: "scripted", choices, usage };
}

function datasetRow(question: string): string {
  const parameters = {
    type: "object",
    properties: { city: { type: "string", description: "" } },
    required: ["city"],
    additionalProperties: false,
  };
  const tool = { name: "get_weather", type: "function", description: "", strict: true, parameters };
  const input = [{ role: "user", content: question }];
  return JSON.stringify({ responses_create_params: { input, tools: [tool] } });
}

function folder(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "assay-real-gym-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }), timeoutMs);
  return root;
}

/** Processes that know of a folder. */
function leftOf(root: string): readonly string[] {
  const processes = execFileSync("ps", ["-eo", "stat,args"], { encoding: "utf8" });
  return processes.split("\n").filter((line) => line.includes(root) && !line.startsWith("Z"));
}

function rowsOf(root: string): readonly Readonly<Record<string, unknown>>[] {
  try {
    const lines = readFileSync(join(root, "run/trials.jsonl"), "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}

itNeeds(
  "gym",
  "a real Gym that is killed half-way leaves its finished rollouts; the resumed run asks for the rest, and nothing is left",
  async () => {
    const root = folder();
    const model = await startModel();
    const questions = ["what is it like in sf?", held];
    writeFileSync(join(root, "data.jsonl"), questions.map((it) => `${datasetRow(it)}\n`).join(""));
    const target = {
      kind: "gym",
      agent: "example_single_tool_call_simple_agent",
      resources_server: "example_single_tool_call",
      gym_bin: gymProgram(),
      model: "scripted",
      model_url: model.url,
      api_key_secret: "MODEL_KEY",
      startup_timeout_s: 800,
      inherit_env: Object.keys(network),
      // So that Ray's processes name the folder too.
      env_vars: { RAY_TMPDIR: join(root, "ray") },
      hydra_params: {
        uv_venv_dir: join(dirname(gymProgram()), "../../gym-servers"),
        skip_venv_if_present: true,
      },
    };
    const suite = {
      name: "real",
      tasks: { jsonl: "data.jsonl", format: "gym" },
      trials_per_task: 2,
      metrics: [{ type: "gym_reward" }],
      secrets: ["MODEL_KEY"],
      target,
    };
    writeFileSync(join(root, "suite.json"), JSON.stringify(suite));
    const { HOME = root, PATH = "" } = process.env;
    // uv looks for the interpreter that Gym runs on, and takes none of a virtual environment.
    const interpreters = dirname(realpathSync(join(dirname(gymProgram()), "python")));
    const env = {
      ...network,
      MODEL_KEY: modelKey,
      HOME,
      PATH: [interpreters, PATH].join(delimiter),
    };
    const start = (...more: readonly string[]) =>
      startAssay(["run", "suite.json", "--out", "run", ...more], { cwd: root, env });

    const first = start();
    const ended = first.ended.then(({ stderr }) => {
      throw new Error(`it ended before it was killed: ${stderr}`);
    });
    const finished = (async () => {
      while (rowsOf(root).length < 2) await new Promise((resolve) => setTimeout(resolve, 100));
    })();
    await Promise.race([finished, ended]);
    ended.catch(() => {});
    first.kill("SIGKILL");
    await first.ended;
    const kept = rowsOf(root);
    expect(kept).toMatchObject([{ status: "completed" }, { status: "completed" }]);
    expect(leftOf(root)).not.toStrictEqual([]);

    model.letGo();
    const resumed = await start("--resume", "--json").ended;

    expect(resumed.exitCode, resumed.stderr).toBe(0);
    const after = rowsOf(root);
    expect(after.slice(0, 2)).toStrictEqual(kept);
    expect(after.map(({ status, metadata }) => [status, metadata])).toStrictEqual(
      Array.from({ length: 4 }, () => ["completed", expect.objectContaining({ reward: 1 })]),
    );
    expect(after[0]).toMatchObject({
      output: { output_text: "It is cold." },
      measurements: { prompt_tokens: 40, completion_tokens: 10 },
    });
    expect(leftOf(root)).toStrictEqual([]);
  },
  timeoutMs,
);
