import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { FakeClock } from "assay/testing";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";

import type { Trial } from "../../../packages/assay/src/contracts/runner.ts";
import {
  type CodexRunRequest,
  codexTask,
  evidencePath,
  givenTo,
  isRunning,
  makeFolder,
  only,
  readEvidence,
  runCodex,
  runFake,
  stepsOf,
} from "./run-codex.ts";

const secret = "sk-test-0123456789abcdef";

describe("a trial of codex_cli", () => {
  it("is completed with what the agent said last, its usage, and its evidence", async () => {
    const run = await runFake("good", { tasks: [codexTask({ id: "task/1" })] });
    const trial = only(run);

    expect(trial).toMatchObject({
      id: "task/1:codex",
      taskId: "task/1",
      status: "completed",
      error: null,
      output: {
        outputText: "all done",
        metadata: { runtime: "codex_cli", agent: "codex", agent_model: null },
      },
      measurements: { promptTokens: 100, completionTokens: 7, cacheReadTokens: 64 },
      metadata: {
        runtime: "codex_cli",
        agent: "codex",
        agent_model: null,
        agent_ok: true,
        generated: true,
        seeded_files: [],
        exit_code: 0,
        turns: 1,
        reasoning_tokens: 3,
        isolation: "os_sandbox",
      },
    });
    expect(Object.keys(trial.evidence?.descriptors ?? {}).sort()).toEqual([
      "final_output",
      "final_state",
      "prompt",
      "stderr",
      "stdout",
      "task",
      "trace",
    ]);
    expect(run.leftBehind).toBe(0);
  });

  it("gives Codex the prompt on stdin, in a directory named by the task's place and id", async () => {
    const tasks = [codexTask({ id: "task/1", inputs: { instruction: "Say é\nand stop" } })];
    const trial = only(await runFake("good", { tasks }));
    const given = givenTo(trial);

    expect(given.prompt).toBe("Say é\nand stop");
    expect(given.directory).toMatch(/\/000000-task-1\/trial-0\/attempt-0$/);
    expect(given.argv.slice(0, 4)).toEqual([
      "exec",
      "--skip-git-repo-check",
      "--ephemeral",
      "--ignore-user-config",
    ]);
    expect(given.argv.at(-1)).toBe("-");
    expect(readEvidence(trial, "prompt")).toBe("Say é\nand stop");
  });

  it("keeps everything in private directories and files", async () => {
    const trial = only(await runFake("good"));
    const { modes, directory } = givenTo(trial);
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

    expect(modes).toEqual({
      ".": "700",
      "codex-home": "700",
      home: "700",
      tmp: "700",
      workspace: "700",
      "task.json": "600",
      "prompt.txt": "600",
      "stdout.jsonl": "600",
      "stderr.txt": "600",
    });
    expect(modeOf(join(directory, "final_output.txt"))).toBe("600");
    expect(modeOf(join(directory, ".."))).toBe("700");
    expect(modeOf(join(directory, "../.."))).toBe("700");
  });

  it("gives Codex this environment and no other", async () => {
    const env = {
      PATH: process.env["PATH"],
      LANG: "C.UTF-8",
      TMPDIR: "/var/tmp",
      HTTPS_PROXY: "http://proxy:1",
      OTHER_KEY: "other",
      HOME: "/root",
    };
    const options = { env: { COLOR: "0" }, inheritEnv: ["HTTPS_PROXY", "NOT_SET"] };
    const trial = only(await runFake("good", { env, options, secrets: { MODEL_KEY: secret } }));
    const given = givenTo(trial);

    expect(given.env).toEqual({
      PATH: process.env["PATH"],
      LANG: "C.UTF-8",
      HTTPS_PROXY: "http://proxy:1",
      COLOR: "0",
      FAKE_CODEX: "good",
      MODEL_KEY: secret,
      HOME: join(given.directory, "home"),
      TMPDIR: join(given.directory, "tmp"),
      CODEX_HOME: join(given.directory, "codex-home"),
      ASSAY_RUN_MARK: expect.stringMatching(/^[0-9a-f]+$/),
      ASSAY_PROCESS_MARK: expect.stringMatching(/^[0-9a-f]+$/),
    });
  });

  it("has no secret on the command line that the system shows to everybody", async () => {
    const trial = only(await runFake("good", { secrets: { MODEL_KEY: secret } }));
    const { commandLine, env } = givenTo(trial);

    expect(env["MODEL_KEY"]).toBe(secret);
    expect(commandLine).toContain("exec");
    expect(commandLine.join(" ")).not.toContain(secret);
  });

  it("shows neither the agent nor its files what is for graders", async () => {
    const task = codexTask({
      id: "t",
      intent: "HIDDEN-INTENT",
      reference: { answer: "HIDDEN-REFERENCE" },
      metadata: { note: "HIDDEN-METADATA" },
      inputs: { instruction: "Say hello", files: { "a.txt": "A" }, extra: [1] },
    });
    const trial = only(await runFake("good", { tasks: [task] }));

    expect(JSON.parse(readEvidence(trial, "task"))).toEqual({
      id: "t",
      inputs: { instruction: "Say hello", files: { "a.txt": "A" }, extra: [1] },
    });
    expect(JSON.stringify(givenTo(trial))).not.toMatch(/HIDDEN/);
  });

  it("has its seeds before the agent runs, and names them", async () => {
    const inputs = { instruction: "Mend it", files: { "buggy.py": "print(", "lib/x.txt": "x" } };
    const trial = only(await runFake("good", { tasks: [codexTask({ id: "t", inputs })] }));

    expect(givenTo(trial).workspaceFiles).toEqual(["buggy.py", "lib"]);
    expect(trial.metadata["seeded_files"]).toEqual(["buggy.py", "lib/x.txt"]);
  });

  it("takes its prompt from the suite's own builder, which needs no instruction", async () => {
    const build = ({ id, inputs }: { id: string; inputs: Readonly<Record<string, unknown>> }) =>
      `${id}: ${String(inputs["topic"])}`;
    const trial = only(
      await runFake("good", {
        options: { promptBuilder: { name: "by-topic", build } },
        tasks: [codexTask({ id: "t", inputs: { topic: "birds" } })],
      }),
    );

    expect(trial.status).toBe("completed");
    expect(givenTo(trial).prompt).toBe("t: birds");
  });

  it("names its trials by index, and runs them side by side", async () => {
    const { trials } = await runFake("good", { trialIndexes: [0, 1, 2], concurrency: 3 });

    expect(trials.map(({ id }) => id).sort()).toEqual(["t:codex", "t:codex:1", "t:codex:2"]);
    expect(new Set(trials.map((trial) => givenTo(trial).directory)).size).toBe(3);
  });
});

describe("the directory of a trial of codex_cli", () => {
  const place = (scratch: string) => join(scratch, "000000-t");

  it("is made private when it was there already", async () => {
    const scratch = makeFolder();
    mkdirSync(place(scratch), { mode: 0o755 });
    const trial = only(await runFake("good", { scratch }));

    expect(trial.status).toBe("completed");
    expect(statSync(place(scratch)).mode & 0o777).toBe(0o700);
  });

  it("is refused when it is a link, and nothing is written through it", async () => {
    const scratch = makeFolder();
    const elsewhere = makeFolder();
    symlinkSync(elsewhere, place(scratch));
    const trial = only(await runFake("good", { scratch }));

    expect(trial).toMatchObject({ status: "failed", output: null, evidence: null });
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe("a trial of codex_cli that does not end well", () => {
  it.each<[string, string, Partial<Trial["error"]>]>([
    [
      "exits badly",
      "exit-3",
      { type: "AgentExitError", message: "codex exec exited with status 3: " },
    ],
    [
      "gets an answer that its request was wrong",
      "bad-request",
      { type: "AgentExitError", message: "bad thing" },
    ],
    ["says nothing", "blank", { type: "BlankReply", message: "blank reply" }],
    [
      "says nothing that can be read",
      "garbage-only",
      { type: "BlankReply", message: "blank reply" },
    ],
  ])("is partial when the agent %s", async (_case, behaviour, error) => {
    const trial = only(await runFake(behaviour));

    expect(trial.status).toBe("partial");
    expect(trial.error?.type).toBe(error?.type);
    expect(trial.error?.message).toContain(error?.message);
    expect(trial.metadata["agent_ok"]).toBe(false);
    expect(trial.attempts).toHaveLength(1);
    expect(existsSync(evidencePath(trial, "stdout"))).toBe(true);
  });

  it("redacts the last words on stderr before they are cut", async () => {
    // The cut of 2000 characters falls into a word.
    const redact = (text: string) => text.replaceAll("noise", "<hidden>");

    const trial = only(await runFake("exit-3", { redact }));

    expect(trial.error?.message).toContain("<hidden>");
    expect(trial.error?.message).not.toMatch(/[nois]e\n/);
  });

  it("keeps what was said, and the last words on stderr, after a bad exit", async () => {
    const trial = only(await runFake("exit-3"));

    expect(trial.output?.outputText).toBe("half done");
    expect(trial.error?.message).toMatch(/noise\nthe last words$/);
    expect(trial.metadata["exit_code"]).toBe(3);
    expect(readEvidence(trial, "stderr")).toHaveLength(6 * 10_000 + "the last words\n".length);
  });

  it.each([
    [
      "a seed that leaves the workspace",
      { instruction: "x", files: { "../escape.txt": "x" } },
      "WorkspaceSeedError",
    ],
    ["no instruction", { topic: "x" }, "MissingInstruction"],
    ["a bad seed and no instruction", { files: { "/etc/x": "x" } }, "WorkspaceSeedError"],
  ])("is failed for %s, and Codex is never started", async (_case, inputs, type) => {
    const run = await runFake("good", { tasks: [codexTask({ id: "t", inputs })] });
    const trial = only(run);

    expect(trial).toMatchObject({ status: "failed", output: null, error: { type } });
    expect(trial.attempts).toHaveLength(1);
    expect(existsSync(join(run.scratch, "000000-t/trial-0/attempt-0/stdout.jsonl"))).toBe(false);
  });

  it.each([
    ["rate-limited", "RateLimited"],
    ["server-error", "ConnectionError"],
    ["cut-stream", "ConnectionError"],
    ["refused", "ConnectionError"],
  ])("is tried once more, and then failed, for %s", async (behaviour, type) => {
    const trial = only(await runFake(behaviour));

    expect(trial).toMatchObject({
      status: "failed",
      error: { type },
      metadata: { agent_ok: false },
    });
    expect(trial.attempts).toHaveLength(2);
    expect(trial.attempts).toMatchObject([
      { cause: "infrastructure", fault: "infrastructure", errorType: type },
      { cause: "infrastructure", fault: "infrastructure", errorType: type },
    ]);
    expect(trial.evidence?.descriptors["stdout"]).toBeDefined();
  });

  it("is completed by a second attempt, in a directory of its own", async () => {
    const trial = only(await runFake("busy-once"));

    expect(trial.status).toBe("completed");
    expect(trial.attempts).toMatchObject([
      { cause: "infrastructure", errorType: "RateLimited" },
      { cause: "ended", errorType: null, promptTokens: 100 },
    ]);
    expect(givenTo(trial).directory).toMatch(/attempt-1$/);
  });

  it("is failed at once for a missing credential, and says what to do", async () => {
    const trial = only(await runFake("no-credential"));

    expect(trial).toMatchObject({ status: "failed", error: { type: "MissingCredential" } });
    expect(trial.attempts).toMatchObject([{ cause: "error", fault: "environment" }]);
  });

  it("is failed when the program cannot be started any more", async () => {
    const program = join(makeFolder(), "codex");
    writeFileSync(program, "#!/bin/sh\necho codex-cli 0.171.0\n", { mode: 0o755 });
    const build = () => {
      rmSync(program, { force: true });
      return "Say hello";
    };
    const options = { codexBin: program, promptBuilder: { name: "removes-codex", build } };
    const trial = only(await runCodex({ options }));

    expect(trial).toMatchObject({ status: "failed", error: { type: "ProcessSpawnError" } });
    expect(trial.attempts).toHaveLength(2);
  });
});

describe("what the agent leaves in the place of its last message", () => {
  it("is not followed when it is a link", async () => {
    const target = join(makeFolder(), "target.txt");
    writeFileSync(target, "untouched");
    const options = { env: { FAKE_CODEX_LINK_TARGET: target } };
    const trial = only(await runFake("final-link", { options }));

    expect(trial).toMatchObject({
      status: "partial",
      output: null,
      error: { type: "OutputUnreadable" },
    });
    expect(JSON.stringify(trial)).not.toContain("untouched");
    expect(readFileSync(target, "utf8")).toBe("untouched");
  });

  it.each(["final-fifo", "final-folder"])("does not hang or throw: %s", async (behaviour) => {
    const trial = only(await runFake(behaviour));

    expect(trial).toMatchObject({
      status: "partial",
      output: null,
      error: { type: "OutputUnreadable" },
    });
    expect(trial.measurements?.promptTokens).toBe(100);
  });

  it("is made up from the stream when it is missing", async () => {
    const trial = only(await runFake("no-final"));

    expect(trial).toMatchObject({ status: "completed", output: { outputText: "only said" } });
    expect(readEvidence(trial, "final_output")).toBe("only said");
    expect(statSync(evidencePath(trial, "final_output")).mode & 0o777).toBe(0o600);
  });
});

describe("what the agent prints", () => {
  it("is bounded on disk, and the trial says so", async () => {
    const trial = only(await runFake("huge-output"));

    expect(trial).toMatchObject({ status: "completed", output: { outputText: "all done" } });
    expect(trial.metadata["output_truncated"]).toBe(true);
    const mark = Buffer.byteLength("…");
    expect(statSync(evidencePath(trial, "stdout")).size).toBeLessThanOrEqual(2 ** 26 + mark);
  });

  it("is read even when one command's output makes a line of megabytes", async () => {
    const trial = only(await runFake("one-huge-line"));

    expect(trial.metadata["commands"]).toBe(1);
    expect(trial.metadata).not.toHaveProperty("malformed_lines");
  });

  it("is kept as it is where it is no event, and counted", async () => {
    const trial = only(await runFake("garbage"));

    expect(trial.status).toBe("completed");
    expect(trial.metadata["malformed_lines"]).toBe(6);
    expect(readEvidence(trial, "stdout")).toContain("plain text\n");
  });
});

describe("processes of codex_cli", () => {
  const childOf = (trial: Trial) =>
    Number(readFileSync(join(evidencePath(trial, "final_state"), "child.pid"), "utf8"));

  /** One that never ends, once all that it does is done; its time stands still, however long that took. */
  const begunWithoutEnd = async (request: CodexRunRequest) => {
    const scratch = makeFolder();
    const clock = new FakeClock();
    const running = runFake("never-ends", { ...request, scratch, clock });
    const pidFile = join(scratch, "000000-t/trial-0/attempt-0/workspace/child.pid");
    const child = await vi.waitFor(
      () => z.coerce.number().positive().parse(readFileSync(pidFile, "utf8")),
      {
        timeout: 60_000,
        interval: 20,
      },
    );
    return { running, clock, child };
  };

  it("end with it: a child in a session of its own does not outlive a good end", async () => {
    const run = await runFake("leaves-child");
    const trial = only(run);

    expect(trial.status).toBe("completed");
    expect(isRunning(childOf(trial))).toBe(false);
    expect(trial.metadata["processes_killed"]).toBe(1);
    expect(run.leftBehind).toBe(0);
  });

  it("end at the time limit, and what was there by then is kept", async () => {
    const { running, clock } = await begunWithoutEnd({ options: { timeoutS: 8 } });
    await clock.advance(8000);
    const run = await running;
    const trial = only(run);

    expect(trial).toMatchObject({
      status: "partial",
      output: { outputText: "so far" },
      error: { type: "TimeoutError" },
      metadata: { agent_ok: false, thread_id: "t1", commands: 1 },
      attempts: [{ cause: "timeout", fault: "target" }],
    });
    expect(stepsOf(trial)).toHaveLength(2);
    expect(readEvidence(trial, "stdout")).toContain("so far");
    expect(isRunning(childOf(trial))).toBe(false);
    expect(run.leftBehind).toBe(0);
  });

  it("end when the run is cancelled, and a trial that was cut short is no trial", async () => {
    const cancel = new AbortController();
    const { running, child } = await begunWithoutEnd({ signal: cancel.signal });
    expect(isRunning(child)).toBe(true);

    cancel.abort(new Error("stop"));
    const { trials, leftBehind } = await running;

    expect(trials).toEqual([]);
    expect(isRunning(child)).toBe(false);
    expect(leftBehind).toBe(0);
  });
});
