import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect } from "vitest";
import { startScriptedServer } from "../../../examples/coding-agent/scripted-server.mjs";
import type { CodexCliOptions } from "../../../packages/assay/src/runners/codex/index.ts";
import { codexPath, itNeeds } from "../../support/tools.ts";
import { sandboxedCodex } from "./codex-sandbox.ts";
import {
  type CodexRunRequest,
  codexTask,
  evidencePath,
  isRunning,
  makeFolder,
  only,
  readEvidence,
  runCodex,
  stepsOf,
} from "./run-codex.ts";
import {
  modelSecret,
  modelSecrets,
  type Script,
  type Step,
  scriptedSettings,
  sumOf,
  workInputs,
} from "./scripted-model.ts";

const timeoutMs = 60_000;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Codex's settings for a server that plays these steps to a task with the title `work`. */
async function serve(take: Step[], ...others: readonly Script[]) {
  const scripts: Script[] = [...others, { title: "work", takes: [take] }];
  const server = await startScriptedServer({ scripts, apiKey: modelSecret });
  closing.push(() => server.close());
  return { server, options: optionsFor(server.url) };
}

function optionsFor(baseUrl: string): CodexCliOptions {
  return { ...scriptedSettings(baseUrl), codexBin: codexPath() ?? "codex", timeoutS: 30 };
}

async function run(options: CodexCliOptions, request: CodexRunRequest = {}) {
  return await runCodex({
    tasks: [codexTask({ id: "t", inputs: workInputs })],
    secrets: modelSecrets,
    limits: { graceMs: 2000 },
    ...request,
    options,
  });
}

itNeeds(
  sandboxedCodex,
  "a real Codex works in its workspace, and its tokens are those that the server counted",
  async () => {
    const take: Step[] = [
      { run: "cat seed.txt > made.txt && echo more >> made.txt" },
      { run: "exit 3" },
      { say: "It is done." },
    ];
    const { options, server } = await serve(take);
    const result = await run(options);
    const trial = only(result);
    const workspace = evidencePath(trial, "final_state");

    expect(trial).toMatchObject({
      status: "completed",
      output: { outputText: "It is done." },
      measurements: {
        promptTokens: sumOf(take, "inputTokens"),
        completionTokens: sumOf(take, "outputTokens"),
        cacheReadTokens: sumOf(take, "cachedTokens"),
      },
      metadata: { turns: 1, commands: 2, exit_code: 0, agent_model: "scripted-model" },
    });
    expect(server.requests).toHaveLength(3);
    expect(readFileSync(join(workspace, "made.txt"), "utf8")).toBe("seed\nmore\n");
    expect(stepsOf(trial)).toHaveLength(3);
    expect(readEvidence(trial, "final_output")).toBe("It is done.");
    expect(readEvidence(trial, "stderr")).toBe("");
    expect(result.tool.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(result.leftBehind).toBe(0);
  },
  timeoutMs,
);

itNeeds(
  sandboxedCodex,
  "the agent's shell has a writable TMPDIR and the mark, and neither the credential nor a network nor any other folder",
  async () => {
    const { options } = await serve([
      {
        run: [
          "env | cut -d= -f1 | sort > names.txt",
          'mktemp > /dev/null && echo "temporary: yes" > can.txt',
          'touch /tmp/assay-must-not-exist && echo "slash-tmp: yes" >> can.txt',
          'touch ../outside.txt && echo "outside: yes" >> can.txt',
          'touch "$CODEX_HOME/x" "$HOME/x" && echo "homes: yes" >> can.txt',
          'node -e "fetch(process.argv[1]).then(()=>console.log(\'network: yes\'),()=>{})" "$BASE_URL" >> can.txt',
          "true",
        ].join("; "),
      },
      { say: "Done." },
    ]);
    const trial = only(await run(options));
    const workspace = evidencePath(trial, "final_state");
    const names = readFileSync(join(workspace, "names.txt"), "utf8").split("\n");

    expect(readFileSync(join(workspace, "can.txt"), "utf8")).toBe("temporary: yes\n");
    expect(names).toEqual(
      expect.arrayContaining(["ASSAY_RUN_MARK", "ASSAY_PROCESS_MARK", "HOME", "PATH", "TMPDIR"]),
    );
    expect(names).not.toContain("MODEL_KEY");
  },
  timeoutMs,
);

itNeeds(
  sandboxedCodex,
  "a folder above the workspace has no say: its AGENTS.md reaches the prompt only when a setting is taken out",
  async () => {
    const above: Script = { title: "above", takes: [[{ say: "I was told from above." }]] };
    const { options } = await serve([{ say: "Done." }], above);
    const scratch = makeFolder();
    mkdirSync(join(scratch, ".git"));
    writeFileSync(join(scratch, "AGENTS.md"), "# above\n");
    const configOverrides = { ...options.configOverrides, project_root_markers: null };
    const byDefault = only(await run(options, { scratch }));
    const withCodexsOwn = only(
      await run({ ...options, configOverrides }, { scratch, trialIndexes: [1] }),
    );

    expect(byDefault.output?.outputText).toBe("Done.");
    expect(withCodexsOwn.output?.outputText).toBe("I was told from above.");
  },
  timeoutMs,
);

itNeeds(
  sandboxedCodex,
  "settings that this Codex does not take are refused before any trial",
  async () => {
    const { options, server } = await serve([{ say: "never" }]);
    const reserved = { ...options.configOverrides, "model_providers.openai": { name: "mine" } };
    const wrong = { ...options.configOverrides, "sandbox_workspace_write.network_access": "yes" };

    await expect(run({ ...options, configOverrides: reserved })).rejects.toMatchObject({
      code: "ASSAY_CONFIG_INVALID",
      message: expect.stringContaining("reserved built-in provider IDs: `openai`"),
    });
    await expect(run({ ...options, configOverrides: wrong })).rejects.toMatchObject({
      code: "ASSAY_CONFIG_INVALID",
      message: expect.stringContaining("expected a boolean"),
    });
    expect(server.requests).toHaveLength(0);
  },
  timeoutMs,
);

itNeeds(
  sandboxedCodex,
  "a request that the server calls wrong is the agent's bad exit, in one attempt",
  async () => {
    const { options, server } = await serve([{ status: 400, message: "bad thing" }]);
    const trial = only(await run(options));

    expect(trial).toMatchObject({
      status: "partial",
      output: null,
      error: { type: "AgentExitError" },
    });
    expect(trial.error?.message).toContain("bad thing");
    expect(trial.attempts).toHaveLength(1);
    expect(server.requests).toHaveLength(1);
  },
  timeoutMs,
);

itNeeds(
  sandboxedCodex,
  "a busy server costs an attempt, not the trial",
  async () => {
    const { options } = await serve([
      { status: 429, message: "slow down", times: 1 },
      { run: "echo 1 > made.txt" },
      { say: "Done." },
    ]);
    const trial = only(await run(options));

    expect(trial.status).toBe("completed");
    expect(trial.attempts).toMatchObject([
      { cause: "infrastructure", fault: "infrastructure", errorType: "RateLimited" },
      { cause: "ended", fault: "none", errorType: null },
    ]);
    expect(existsSync(join(evidencePath(trial, "final_state"), "made.txt"))).toBe(true);
  },
  timeoutMs,
);

itNeeds(
  sandboxedCodex,
  "a stream that is cut costs an attempt, and what came before it is kept beside the trial",
  async () => {
    const { options } = await serve([
      { run: "echo 1 > made.txt" },
      { cut: true, times: 1 },
      { say: "Done." },
    ]);
    const trial = only(await run(options));

    expect(trial.status).toBe("completed");
    expect(trial.attempts).toMatchObject([
      { cause: "infrastructure", errorType: "ConnectionError" },
      { cause: "ended" },
    ]);
    const first = trial.attempts?.[0]?.evidence?.descriptors["stdout"]?.ref ?? "";
    expect(readFileSync(first, "utf8")).toContain("turn.failed");
  },
  timeoutMs,
);

itNeeds(
  sandboxedCodex,
  "a server that is gone fails the trial after two attempts, well within the time limit",
  async () => {
    const { options, server } = await serve([{ say: "never" }]);
    await server.close();
    const trial = only(await run(options));

    expect(trial).toMatchObject({ status: "failed", error: { type: "ConnectionError" } });
    expect(trial.attempts).toHaveLength(2);
  },
  timeoutMs,
);

itNeeds(
  sandboxedCodex,
  "a credential that the server does not take is told as such",
  async () => {
    const { options } = await serve([{ say: "never" }]);
    const trial = only(await run(options, { secrets: { MODEL_KEY: "sk-some-other-key" } }));

    expect(trial).toMatchObject({ status: "failed", error: { type: "MissingCredential" } });
  },
  timeoutMs,
);

itNeeds(
  sandboxedCodex,
  "a server that never answers is stopped by the time limit, and no process is left",
  async () => {
    const { options } = await serve([{ run: "echo 1 > made.txt" }, { silence: true }]);
    const result = await run({ ...options, timeoutS: 12 });
    const trial = only(result);

    expect(trial).toMatchObject({
      status: "partial",
      error: { type: "TimeoutError" },
      metadata: { agent_ok: false, commands: 1 },
      attempts: [{ cause: "timeout", fault: "target" }],
    });
    expect(existsSync(join(evidencePath(trial, "final_state"), "made.txt"))).toBe(true);
    expect(stepsOf(trial)).toHaveLength(1);
    expect(result.leftBehind).toBe(0);
  },
  timeoutMs,
);

itNeeds(
  "codex",
  "without a sandbox, a background child in a session of its own does not outlive the agent",
  async () => {
    const { options } = await serve([
      {
        run: "setsid sh -c 'echo $$ > child.pid; trap \"\" TERM; exec sleep 1000' > /dev/null 2>&1 & until [ -s child.pid ]; do sleep 0.05; done",
      },
      { say: "Done." },
    ]);
    const result = await run({ ...options, sandbox: "danger-full-access" });
    const trial = only(result);
    const pid = Number(readFileSync(join(evidencePath(trial, "final_state"), "child.pid"), "utf8"));

    expect(trial).toMatchObject({ status: "completed", metadata: { isolation: "none" } });
    expect(pid).toBeGreaterThan(1);
    expect(isRunning(pid)).toBe(false);
    expect(result.leftBehind).toBe(0);
  },
  timeoutMs,
);
