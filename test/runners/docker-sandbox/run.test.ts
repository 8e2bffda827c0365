import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

import type { Trial } from "../../../packages/assay/src/contracts/runner.ts";
import { describeNeeds } from "../../support/tools.ts";
import { answerUsage, type Step } from "./model-server.ts";
import { modelKey, runSandbox, serve, settingsFor } from "./run-sandbox.ts";

const withinMs = 90_000;

function task(id: string, inputs: Readonly<Record<string, unknown>> = {}) {
  return { id, inputs: { instruction: `# ${id}\n\nDo it.`, ...inputs } };
}

function fileOf({ evidence }: Trial, name: string, inner = ""): string {
  return join(evidence?.descriptors[name]?.ref ?? "", inner);
}

const shell = (command: string, more: object = {}): Step => ({
  calls: [{ name: "shell", arguments: { command, ...more } }],
});

describeNeeds(["docker", "openai-agents"], "docker_sandbox", () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-workspace-dir-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.concurrent(
    "works with its tools in a container, and all of what it did is kept",
    async () => {
      mkdirSync(join(folder, "sub"));
      writeFileSync(join(folder, "sub/given.txt"), "given");
      const server = await serve({
        work: [
          shell("cat instruction.md seed.txt workspace/sub/given.txt; env; exit 3"),
          {
            calls: [
              { name: "write_file", arguments: { path: "output/a/b.txt", content: "made\n" } },
              { name: "read_file", arguments: { path: "seed.txt" } },
            ],
          },
          { calls: [{ name: "read_file", arguments: { path: "/none" } }] },
          { calls: [{ name: "read_file", arguments: { file: 1 } }] },
          { calls: [{ name: "no_such_tool", arguments: "{oops" }] },
          shell("echo begun; (trap '' TERM; sleep 60) & trap '' TERM; sleep 60", { timeout_s: 1 }),
          { say: "It is done." },
        ],
      });
      const inputs = { files: { "seed.txt": "seed\n" }, workspace_dir: folder };
      const settings = settingsFor(server, { memoryMib: 128, maxProcesses: 64 });
      const { trials, tool } = await runSandbox(settings, [task("work", inputs)]);
      const [trial] = trials as [Trial];

      const digest = tool?.resolved["image_digest"];
      expect(tool).toMatchObject({ version: "0.20.0", observed: { endpoint: server.url } });
      expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(trial).toMatchObject({
        id: "work:docker-sandbox",
        status: "completed",
        error: null,
        output: { outputText: "It is done.", response: { final_output: "It is done." } },
        measurements: {
          promptTokens: 7 * answerUsage.input,
          completionTokens: 7 * answerUsage.output,
          cacheReadTokens: 7 * answerUsage.cached,
        },
        metadata: {
          runtime: "docker_sandbox",
          agent_ok: true,
          isolation: "container",
          turns: 7,
          tool_calls: 7,
          seeded_files: ["seed.txt"],
          sandbox: {
            image_digest: digest,
            network: "none",
            limits: { memory_bytes: 128 * 2 ** 20, cpus: null, processes: 64, disk_bytes: null },
          },
        },
      });
      expect(trial.attempts?.at(-1)).toMatchObject({
        imageDigest: digest,
        requestedModel: "m",
        servedModel: "served-model-1",
      });
      const state = (name: string) => readFileSync(fileOf(trial, "final_state", name), "utf8");
      expect(state("instruction.md")).toBe("# work\n\nDo it.");
      expect(state("output/a/b.txt")).toBe("made\n");
      expect(state("workspace/sub/given.txt")).toBe("given");
      expect(readFileSync(fileOf(trial, "final_output"), "utf8")).toBe("It is done.");
      const archive = execFileSync("tar", ["-tf", fileOf(trial, "workspace_archive")]).toString();
      expect(archive.split("\n")).toEqual(
        expect.arrayContaining(["instruction.md", "output/a/b.txt", "seed.txt"]),
      );

      const trace = JSON.parse(readFileSync(fileOf(trial, "trace"), "utf8"));
      const answers = (trace.steps as Record<string, { results: { content: string }[] }>[])
        .map((step) => step["observation"]?.results[0]?.content)
        .filter((text) => text !== undefined);
      expect(answers).toEqual([
        expect.stringMatching(/^exit code: 3\nstdout:\n# work\n\nDo it\.seed\ngiven/),
        "output/a/b.txt is written",
        "seed\n",
        expect.stringContaining("It failed: cat:"),
        expect.stringContaining("The arguments do not fit: path"),
        expect.stringContaining("not found"),
        expect.stringMatching(/^ended after 1 s: it took too long\nstdout:\nbegun/),
      ]);
      // Neither the agent's shell nor any file holds the key; the endpoint had it.
      expect(server.requests[0]?.authorization).toBe(`Bearer ${modelKey}`);
      for (const name of ["run_items", "raw_responses", "trace"]) {
        const text = readFileSync(fileOf(trial, name), "utf8");
        expect(text).not.toContain(modelKey);
        expect(text).not.toMatch(/0x[0-9a-f]{6}/);
      }
      expect(JSON.parse(readFileSync(fileOf(trial, "raw_responses"), "utf8"))).toHaveLength(7);
      expect(JSON.parse(readFileSync(fileOf(trial, "run_items"), "utf8"))).toHaveLength(15);
    },
    withinMs,
  );

  it.concurrent(
    "tells how each agent ended, and whose doing it was",
    async () => {
      const server = await serve({
        refusal: [shell("echo x"), { refuse: "I cannot help with that." }],
        dies: [shell("echo x > a"), { cut: true }],
        "dies-once": [shell("echo x > a"), { cut: true, times: 1 }, { say: "In spite of it." }],
        busy: [{ status: 429, message: "slow down" }],
        broken: [{ status: 503, message: "out of order" }],
        "bad-request": [{ status: 400, message: "too long" }],
        "wrong-key": [{ status: 401, message: "who are you" }],
        "no-model": [{ status: 404, message: "no such model" }],
        blank: [{ say: " " }],
        floods: [{ endless: true }],
        endless: [shell("true"), shell("true"), shell("true"), shell("true")],
        "kills-all": [shell("kill -9 -1; sleep 1"), { say: "Still here." }],
      });
      const titles = ["refusal", "dies", "dies-once", "busy", "broken", "bad-request"];
      const others = ["wrong-key", "no-model", "blank", "endless", "kills-all", "floods"];
      const settings = settingsFor(server, { requestRetries: 0, maxTurns: 3, parallelism: 4 });
      const { trials } = await runSandbox(
        settings,
        [...titles, ...others].map((title) => task(title)),
      );
      const ends = Object.fromEntries(
        trials.map(({ taskId, status, error, attempts }) => [
          taskId,
          [status, error?.type ?? null, attempts?.length],
        ]),
      );

      expect(ends).toEqual({
        refusal: ["partial", "AgentRefused", 1],
        dies: ["failed", "ConnectionError", 2],
        "dies-once": ["completed", null, 2],
        busy: ["failed", "RateLimited", 2],
        broken: ["failed", "ConnectionError", 2],
        "bad-request": ["partial", "AgentError", 1],
        "wrong-key": ["failed", "MissingCredential", 1],
        "no-model": ["failed", "RunnerError", 1],
        blank: ["partial", "BlankReply", 1],
        floods: ["failed", "ConnectionError", 2],
        endless: ["partial", "AgentError", 1],
        "kills-all": ["completed", null, 1],
      });
      const refusal = trials.find(({ taskId }) => taskId === "refusal") as Trial;
      expect(refusal.output?.outputText).toBe("I cannot help with that.");
      expect(refusal.metadata["agent_ok"]).toBe(false);
      expect(refusal.measurements?.promptTokens).toBe(2 * answerUsage.input);
      expect(readFileSync(fileOf(refusal, "run_items"), "utf8")).toContain("I cannot help");
      const once = trials.find(({ taskId }) => taskId === "dies-once") as Trial;
      // What the first attempt cost counts in the ledger.
      expect(once.attempts?.map(({ promptTokens }) => promptTokens)).toEqual([100, 200]);
    },
    withinMs,
  );

  it.concurrent(
    "a server that never answers ends at the time limit, with what was done before",
    async () => {
      const server = await serve({
        waits: [shell("echo half > output/half.txt"), { silence: true }],
      });
      const settings = settingsFor(server, { timeoutS: 20 });
      const { trials } = await runSandbox(settings, [task("waits")], { limits: { graceMs: 4000 } });
      const [trial] = trials as [Trial];

      expect(trial).toMatchObject({
        status: "partial",
        error: { type: "TimeoutError" },
        measurements: { promptTokens: answerUsage.input },
        metadata: { agent_ok: false },
      });
      expect(readFileSync(fileOf(trial, "final_state", "output/half.txt"), "utf8")).toBe("half\n");
      expect(trial.evidence?.descriptors).toHaveProperty("raw_responses");
    },
    withinMs,
  );

  it.concurrent(
    "speaks to an endpoint of chat completions, named by a variable of the host",
    async () => {
      const server = await serve({
        chat: [shell("echo from chat > output/x"), { say: "By chat." }],
        "chat-refusal": [{ refuse: "Not me." }],
      });
      const options = { api: "chat_completions", keyVariable: null } as const;
      const settings = settingsFor({ url: `\${CHAT_SERVER}` }, { ...options, model: null });
      const { trials, tool } = await runSandbox(settings, [task("chat"), task("chat-refusal")], {
        env: { CHAT_SERVER: server.url },
        secrets: {},
      });

      expect(trials).toMatchObject([
        {
          status: "completed",
          output: { outputText: "By chat." },
          measurements: { promptTokens: 200, completionTokens: 14 },
        },
        { status: "partial", error: { type: "AgentRefused" } },
      ]);
      expect(tool?.resolved["default_model"]).toMatch(/^gpt-/);
      expect(tool?.observed?.["endpoint"]).toBe(server.url);
    },
    withinMs,
  );
});
