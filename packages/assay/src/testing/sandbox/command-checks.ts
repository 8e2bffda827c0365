import assert from "node:assert/strict";

import { type ConformanceCheck, check } from "../conformance/check.ts";
import { freshDirectory, printedBy, type SandboxSubject, withSandbox } from "./subject.ts";

/** Forks, ignores SIGTERM, leaves its session and its environment, both at once too, and holds the pipe. */
const stubborn = `
trap '' TERM
(setsid sh -c 'trap "" TERM; while :; do sleep 1; done' &)
(env -i sh -c 'trap "" TERM; while :; do sleep 1; done' &)
(env -i setsid sh -c 'trap "" TERM; while :; do sleep 1; done' &)
echo begun
while :; do sleep 1; done`;

/** What a command gets and gives, and how it is ended. */
export function commandChecks(subject: SandboxSubject): readonly ConformanceCheck[] {
  return [
    check("gives a command its arguments, environment, directory and input", () =>
      checkInputs(subject),
    ),
    check("streams output, and keeps a bounded part of it", () => checkOutput(subject)),
    check("ends a command at its time limit with all that came of it, and nothing else", () =>
      checkTimeLimit(subject),
    ),
    check("ends a command when it is cancelled", () => checkCancel(subject)),
    check("ends what forks without end", () => checkForks(subject)),
    check("tells want of memory from an end of the command's own", () => checkMemory(subject)),
    check("tells a sandbox that died from one that vanished", () => checkLost(subject)),
  ];
}

async function checkInputs(subject: SandboxSubject): Promise<void> {
  await withSandbox(subject, { env: { OUTER: "1", BOTH: "outer" } }, async (sandbox) => {
    const result = await sandbox.exec({
      argv: [
        "sh",
        "-c",
        'echo "$1|$OUTER|$BOTH|$LINES_|$(pwd)|$(cat)"; echo no >&2; exit 7',
        "sh",
        "a b'$",
      ],
      env: { BOTH: "inner", LINES_: "1\n2" },
      cwd: "/tmp",
      stdin: "in\nput",
    });
    assert.equal(result.stdout.text, "a b'$|1|inner|1\n2|/tmp|in\nput\n");
    assert.equal(result.stderr.text, "no\n");
    assert.deepEqual([result.ending, result.exitCode], ["exited", 7]);
    assert.equal(await printedBy(sandbox, "pwd"), "/workspace");
    const missing = await sandbox.exec({ argv: ["no-such-program"] });
    assert.deepEqual([missing.ending, missing.exitCode], ["exited", 127]);
  });
}

async function checkOutput(subject: SandboxSubject): Promise<void> {
  const file = `${await freshDirectory(subject)}/out.txt`;
  await withSandbox(subject, {}, async (sandbox) => {
    const seen: string[] = [];
    const result = await sandbox.exec({
      argv: ["sh", "-c", "echo first; yes | head -c 1000000"],
      stdout: { file, maxBytes: 1000, keepBytes: 10, onLine: (line) => seen.push(line) },
    });
    assert.equal(seen[0], "first");
    assert.equal(result.stdout.totalBytes, 1_000_006);
    assert.equal(result.stdout.isTruncated, true);
    assert.ok(result.stdout.text.startsWith("first\ny\ny"));
    const { sizeBytes = 0 } = (await subject.files.stat(file)) ?? {};
    assert.ok(sizeBytes >= 1000 && sizeBytes < 1100, `the file has ${sizeBytes} bytes`);
  });
}

async function checkTimeLimit(subject: SandboxSubject): Promise<void> {
  await withSandbox(subject, { user: "agent" }, async (sandbox) => {
    await printedBy(sandbox, "(setsid sleep 12345 >/dev/null 2>&1 &)");
    const argv = ["sh", "-c", stubborn] as const;
    const result = await sandbox.exec({ argv, timeoutMs: 700, graceMs: 300 });
    assert.deepEqual([result.ending, result.exitCode], ["timed_out", null]);
    assert.equal(result.stdout.text, "begun\n");
    assert.equal(result.isSandboxRunning, true);
    assert.ok(result.durationMs < 700 + 300 + 2000, `it took ${result.durationMs} ms`);
    const left = await printedBy(sandbox, "ps -o args | grep -c '[w]hile :; do sleep' || true");
    assert.equal(left, "0");
    const others = await printedBy(sandbox, "ps -o args | grep -c '[s]leep 12345' || true");
    assert.equal(others, "1", "what an earlier command left running was ended too");
  });
}

async function checkCancel(subject: SandboxSubject): Promise<void> {
  await withSandbox(subject, {}, async (sandbox) => {
    const stop = new AbortController();
    const result = await sandbox.exec({
      argv: ["sh", "-c", stubborn],
      stdout: { onLine: () => stop.abort() },
      signal: stop.signal,
      graceMs: 100,
    });
    assert.equal(result.ending, "cancelled");
    const never = await sandbox.exec({ argv: ["sh", "-c", stubborn], signal: stop.signal });
    assert.equal(never.ending, "cancelled");
    // It is about to begin, and cannot be found yet.
    const atOnce = await sandbox.exec({ argv: ["sh", "-c", stubborn], timeoutMs: 1, graceMs: 100 });
    assert.equal(atOnce.ending, "timed_out");
    assert.equal(await printedBy(sandbox, "ps -o args | grep -c '[w]hile :; do' || true"), "0");
  });
}

async function checkForks(subject: SandboxSubject): Promise<void> {
  await withSandbox(subject, { limits: { processes: 40 } }, async (sandbox) => {
    const argv = ["sh", "-c", "spawn() { spawn | spawn & }; spawn; sleep 60"] as const;
    const result = await sandbox.exec({ argv, timeoutMs: 500, graceMs: 100 });
    // It may end by itself where no process can be made any more; what it left must be endable.
    assert.ok(["timed_out", "exited"].includes(result.ending), result.ending);
    const isRunning = (await sandbox.state()) === "running";
    assert.equal(result.isSandboxRunning, isRunning);
  });
  await withSandbox(subject, {}, async (sandbox) => {
    await printedBy(sandbox, "kill -INT 1; kill -TERM 1; kill -HUP 1; kill -QUIT 1; kill -KILL 1");
    assert.equal(await sandbox.state(), "running", "a command can end its sandbox");
  });
}

async function checkMemory(subject: SandboxSubject): Promise<void> {
  const limits = { memoryBytes: 32 * 1024 * 1024 };
  await withSandbox(subject, { limits }, async (sandbox) => {
    const grow = "text=x; while :; do text=$text$text; done";
    const result = await sandbox.exec({ argv: ["sh", "-c", `sh -c '${grow}'; exit 3`] });
    assert.deepEqual([result.ending, result.isSandboxRunning], ["oom_killed", true]);
    const own = await sandbox.exec({ argv: ["sh", "-c", "exit 137"] });
    assert.deepEqual([own.ending, own.exitCode], ["exited", 137]);
  });
}

async function checkLost(subject: SandboxSubject): Promise<void> {
  await withSandbox(subject, {}, async (sandbox) => {
    const running = sandbox.exec({
      argv: ["sh", "-c", "echo kept > kept.txt; echo begun; exec sleep 60"],
      stdout: { onLine: () => void subject.kill(sandbox) },
    });
    const { ending, exitCode, isSandboxRunning } = await running;
    assert.deepEqual([ending, exitCode, isSandboxRunning], ["died", null, false]);
    const copy = await freshDirectory(subject);
    await sandbox.download("/workspace", copy);
    assert.equal(await subject.files.readText(`${copy}/kept.txt`), "kept\n");
    await subject.remove(sandbox);
    assert.equal(await sandbox.state(), "vanished");
    assert.equal((await sandbox.exec({ argv: ["true"] })).ending, "vanished");
    await sandbox.stop();
    await sandbox.stop();
  });
}
