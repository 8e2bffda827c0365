import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { EventReader } from "../../../packages/assay/src/runners/codex/event-reader.ts";
import {
  type CodexEnding,
  codexProblem,
} from "../../../packages/assay/src/runners/codex/outcome.ts";
import { repoRoot } from "../../support/tools.ts";

const recordings = join(repoRoot, "packages/assay/src/runners/codex/fixtures/recordings");
const neverFails = { failure: null };

const exited: CodexEnding = {
  ending: "exited",
  exitCode: 0,
  signalName: null,
  spawnError: null,
  stderrTail: "",
};

interface RecordedEnd {
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

/** What the runner makes of a recorded run. */
function problemOfRecording(name: string) {
  const reader = new EventReader({ step: () => {}, addUsage: () => {}, redact: (told) => told });
  const text = readFileSync(join(recordings, `${name}.jsonl`), "utf8");
  for (const line of text.split("\n")) reader.readLine(line);
  const meta = readFileSync(join(recordings, `${name}.meta.json`), "utf8");
  const { exit_code, signal, stderr } = JSON.parse(meta) as RecordedEnd;
  return codexProblem(
    {
      ending: signal === null ? "exited" : "cancelled",
      exitCode: exit_code,
      signalName: signal,
      spawnError: null,
      stderrTail: stderr,
    },
    reader.end(),
  );
}

describe("how a recorded run of Codex ended", () => {
  it.each([
    "success-solve",
    "success-wrong-solution",
    "success-command-failed",
    "success-blank-message",
    "success-control-characters",
    "success-known-model",
    "success-reconnect-429",
    "success-reconnect-stream-cut",
  ])("is well: %s", (name) => {
    expect(problemOfRecording(name)).toBeNull();
  });

  it.each([
    ["failed-http-429", "ASSAY_RATE_LIMITED"],
    ["failed-http-503", "ASSAY_CONNECTION_FAILED"],
    ["failed-stream-cut", "ASSAY_CONNECTION_FAILED"],
    ["failed-connection-refused", "ASSAY_CONNECTION_FAILED"],
    ["failed-missing-key", "ASSAY_SECRET_MISSING"],
    ["failed-http-401", "ASSAY_SECRET_MISSING"],
    ["failed-codex-home-missing", "ASSAY_TOOL_UNUSABLE"],
  ])("is not charged to the agent: %s is %s", (name, code) => {
    expect(() => problemOfRecording(name)).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    ["failed-http-400", /^codex exec exited with status 1: .*Invalid value for 'input'/],
    ["failed-prompt-too-long", /^codex exec exited with status 1: Error: turn\/start.*1048576/],
    ["timeout-no-answer", /stopped before its end/],
    ["timeout-partial-work", /stopped before its end/],
    ["waiting-for-network", /stopped before its end/],
  ])("is an exit of the agent: %s", (name, message) => {
    expect(problemOfRecording(name)).toEqual({
      type: "AgentExitError",
      message: expect.stringMatching(message),
    });
  });
});

describe("how Codex ended", () => {
  it("is told with its status and the end of its errors", () => {
    const ending = { ...exited, exitCode: 3, stderrTail: "  the last words\n" };

    expect(codexProblem(ending, neverFails)?.message).toBe(
      "codex exec exited with status 3: the last words",
    );
  });

  it("is told with its signal when something killed it", () => {
    const ending = {
      ...exited,
      ending: "signalled",
      exitCode: null,
      signalName: "SIGKILL",
    } as const;

    expect(codexProblem(ending, neverFails)?.message).toBe(
      "codex exec exited with signal SIGKILL: ",
    );
  });

  it("is a failure when the turn failed, even if it exited with 0", () => {
    expect(codexProblem(exited, { failure: "no" })?.message).toBe(
      "codex exec exited with status 0: no",
    );
  });

  it("is no fault of the agent when it could not be started", () => {
    const ending = {
      ...exited,
      ending: "spawn_failed",
      exitCode: null,
      spawnError: "no exec",
    } as const;

    expect(() => codexProblem(ending, neverFails)).toThrow(
      expect.objectContaining({ code: "ASSAY_PROCESS_SPAWN_FAILED", retryable: true }),
    );
  });

  it.each([
    ["unexpected status 500 Internal Server Error: x", "ASSAY_CONNECTION_FAILED"],
    ["exceeded retry limit, last status: 502 Bad Gateway", "ASSAY_CONNECTION_FAILED"],
    ["unexpected status 429 Too Many Requests: slow down", "ASSAY_RATE_LIMITED"],
    [
      "stream disconnected before completion: Rate limit reached for gpt-5 in organization x",
      "ASSAY_RATE_LIMITED",
    ],
    ["You've hit your usage limit. Try again at 5 PM.", "ASSAY_RATE_LIMITED"],
    ["Quota exceeded. Check your plan and billing details.", "ASSAY_RATE_LIMITED"],
    ["Selected model is at capacity. Please try a different model.", "ASSAY_RATE_LIMITED"],
    [
      "We're currently experiencing high demand, which may cause temporary errors.",
      "ASSAY_CONNECTION_FAILED",
    ],
    ["unexpected status 403 Forbidden: x", "ASSAY_SECRET_MISSING"],
    ["Error loading config.toml: invalid type: string", "ASSAY_CONFIG_INVALID"],
  ])("is not charged to the agent for %j", (failure, code) => {
    const call = () => codexProblem({ ...exited, exitCode: 1 }, { failure });

    expect(call).toThrow(expect.objectContaining({ code }));
    expect(call).toThrow(`codex: ${failure}`);
  });

  it.each([
    "unexpected status 404 Not Found: no such model",
    "the file notes-429.txt has 500 lines and status 5",
    "a test printed: connection failed",
    "Your input exceeds the context window of this model.",
  ])("is the agent's for %j", (failure) => {
    expect(codexProblem({ ...exited, exitCode: 1 }, { failure })?.type).toBe("AgentExitError");
  });
});
