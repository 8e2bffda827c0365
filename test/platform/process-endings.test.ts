import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { itNeeds } from "../support/tools.ts";
import { env, isRunning, pidsIn, runScript, startCapability } from "./real-processes.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Ignores SIGTERM, prints its pid and stays. */
const stubborn = `trap "" TERM; echo $$; while :; do sleep 1; done`;
/** Starts a stubborn process in a session of its own that holds the output open. */
const stubbornGrandchild = `setsid sh -c '${stubborn}' &`;

describe("how a process ends", () => {
  it.each([
    { script: "exit 0", ending: "exited", exitCode: 0, signalName: null },
    { script: "exit 3", ending: "exited", exitCode: 3, signalName: null },
    { script: "kill -KILL $$", ending: "signalled", exitCode: null, signalName: "SIGKILL" },
    { script: "kill -TERM $$", ending: "signalled", exitCode: null, signalName: "SIGTERM" },
  ])("`$script` is told as $ending", async ({ script, ...expected }) => {
    expect(await runScript(script)).toMatchObject({
      ...expected,
      spawnError: null,
      survivorsKilled: 0,
    });
  });

  it("a process over its time limit is timed out", async () => {
    const result = await runScript("sleep 30", { timeoutMs: 50 });

    expect(result).toMatchObject({ ending: "timed_out", exitCode: null, signalName: "SIGTERM" });
  });

  it("a process that ends well when asked to is timed out all the same", async () => {
    const result = await runScript(`trap "exit 0" TERM; sleep 30 & wait`, { timeoutMs: 100 });

    expect(result).toMatchObject({ ending: "timed_out", exitCode: 0 });
  });

  it("a cancelled process is told as cancelled", async () => {
    const controller = new AbortController();
    const onLine = (): void => controller.abort();

    const result = await runScript("echo started; sleep 30", {
      signal: controller.signal,
      stdout: { onLine },
    });

    expect(result).toMatchObject({ ending: "cancelled", signalName: "SIGTERM" });
  });

  it("a process may be asked to end by SIGINT, and only killed when it does not", async () => {
    const polite = `trap "echo put away; exit 0" INT; trap "" TERM; echo started; while :; do sleep 0.1; done`;
    const controller = new AbortController();
    const lines: string[] = [];

    const result = await runScript(polite, {
      signal: controller.signal,
      stopSignal: "SIGINT",
      graceMs: 20_000,
      stdout: {
        onLine: (line) => {
          lines.push(line);
          controller.abort();
        },
      },
    });

    expect(result).toMatchObject({ ending: "cancelled", exitCode: 0 });
    expect(lines).toStrictEqual(["started", "put away"]);
  });

  it("nothing is started after the signal has aborted", async () => {
    const marker = join(temporaryFolder(), "started");

    const result = await runScript(`touch ${marker}`, { signal: AbortSignal.abort() });

    expect(result).toMatchObject({ ending: "cancelled", exitCode: null, signalName: null });
    expect(existsSync(marker)).toBe(false);
  });
});

describe("a process that is asked to end by SIGINT", () => {
  /** Tells of the signal, and goes on or ends as `then` says. */
  const child = `sh -c 'trap "echo child asked" INT TERM; while :; do sleep 0.1; done' & child=$!`;

  async function interrupt(script: string, graceMs: number) {
    const controller = new AbortController();
    const onLine = (line: string): void => {
      if (line === "started") controller.abort();
    };
    const { signal } = controller;
    const request = { signal, graceMs, stopSignal: "SIGINT", stdout: { onLine } } as const;
    return await runScript(script, request);
  }

  it("is asked alone, and ends what it started as it likes", async () => {
    const own = `trap "kill -KILL $child; echo done; exit 0" INT`;

    const result = await interrupt(`${child}; ${own}; echo started; wait`, 20_000);

    expect(result).toMatchObject({ ending: "cancelled", exitCode: 0, survivorsKilled: 0 });
    expect(result.stdout.text).toBe("started\ndone\n");
  });

  itNeeds(
    "proc",
    "what it leaves behind is killed soon, whatever is left of its grace",
    async () => {
      const result = await interrupt(`${child}; trap "exit 0" INT; echo started; wait`, 600_000);

      expect(result).toMatchObject({ ending: "cancelled", exitCode: 0 });
      expect(result.survivorsKilled).toBeGreaterThan(0);
      expect(result.stdout.text).toBe("started\n");
    },
  );

  it("is killed with its whole tree after the grace", async () => {
    const result = await interrupt(`${child}; trap "" INT; echo started; wait`, 100);

    expect(result).toMatchObject({ ending: "cancelled", signalName: "SIGKILL" });
  });
});

describe("a process that cannot be started", () => {
  const folder = (): string => {
    const path = temporaryFolder();
    writeFileSync(join(path, "not-executable"), "#!/bin/sh\n");
    writeFileSync(join(path, "no-interpreter"), "#!/nowhere/at-all\n");
    chmodSync(join(path, "no-interpreter"), 0o755);
    return path;
  };

  it.each([
    { argv: "no-such-program", spawnError: `"no-such-program" was not found on PATH` },
    { argv: "/no/such/program", spawnError: `"/no/such/program" does not exist` },
    { argv: "./not-executable", spawnError: "EACCES" },
    { argv: "./no-interpreter", spawnError: "its interpreter does not exist" },
    { argv: "a\0b", spawnError: "null bytes" },
  ])("$argv is told with its reason", async ({ argv, spawnError }) => {
    const result = await startCapability().run({ argv: [argv], cwd: folder(), env });

    expect(result).toMatchObject({ ending: "spawn_failed", exitCode: null, signalName: null });
    expect(result.spawnError).toContain(spawnError);
  });

  it("a missing working directory is not taken for a missing program", async () => {
    const result = await runScript("true", { cwd: "/no/such/folder" });

    expect(result.ending).toBe("spawn_failed");
    expect(result.spawnError).toBe(`the working directory "/no/such/folder" does not exist`);
  });
});

describe("the end of the whole tree", () => {
  itNeeds(
    "proc",
    "a time limit ends children that ignore SIGTERM in sessions of their own",
    async () => {
      const startedMs = performance.now();
      const result = await runScript(`${stubbornGrandchild} ${stubborn}`, {
        timeoutMs: 400,
        graceMs: 200,
      });

      const pids = pidsIn(result.stdout.text);
      expect(pids).toHaveLength(2);
      expect(pids.filter(isRunning)).toEqual([]);
      expect(result).toMatchObject({ ending: "timed_out", signalName: "SIGKILL" });
      expect(result.survivorsKilled).toBeGreaterThanOrEqual(2);
      expect(performance.now() - startedMs).toBeLessThan(400 + 200 + 2000);
    },
  );

  itNeeds(
    "proc",
    "a child without the marks and with another parent's session is found by parentage",
    async () => {
      const script = `env -i setsid sh -c '${stubborn}' & ${stubborn}`;
      const result = await runScript(script, { timeoutMs: 400, graceMs: 100 });

      const pids = pidsIn(result.stdout.text);
      expect(pids).toHaveLength(2);
      expect(pids.filter(isRunning)).toEqual([]);
    },
  );

  itNeeds(
    "proc",
    "what a process leaves behind is killed after its normal end, and counted",
    async () => {
      const startedMs = performance.now();
      const result = await runScript(`${stubbornGrandchild} sleep 0.3; exit 0`);

      const pids = pidsIn(result.stdout.text);
      expect(pids).toHaveLength(1);
      expect(pids.filter(isRunning)).toEqual([]);
      expect(result).toMatchObject({ ending: "exited", exitCode: 0 });
      expect(result.survivorsKilled).toBeGreaterThanOrEqual(1);
      expect(performance.now() - startedMs).toBeLessThan(300 + 2000);
    },
  );

  itNeeds(
    "proc",
    "what left parent, session and environment at once is found by the output that it holds",
    async () => {
      const stray = `(env -i setsid sh -c '${stubborn}' &)`;
      const startedMs = performance.now();
      const late = await runScript(`${stray}; ${stubborn}`, { timeoutMs: 400, graceMs: 200 });
      expect(performance.now() - startedMs).toBeLessThan(400 + 200 + 2000);
      const ended = await runScript(`${stray}; sleep 0.3`);

      const pids = pidsIn(late.stdout.text + ended.stdout.text);
      expect(pids).toHaveLength(3);
      expect(pids.filter(isRunning)).toEqual([]);
      expect(ended).toMatchObject({ ending: "exited", exitCode: 0 });
      expect(ended.survivorsKilled).toBeGreaterThanOrEqual(1);
    },
  );

  itNeeds("proc", "a daemon that let go of the output is killed too", async () => {
    const pidFile = join(temporaryFolder(), "pid");
    const daemon = `setsid sh -c 'echo $$ > ${pidFile}; exec sleep 60' </dev/null >/dev/null 2>&1 &`;
    const result = await runScript(`${daemon} while ! [ -s ${pidFile} ]; do sleep 0.02; done`);

    const pid = Number(readFileSync(pidFile, "utf8"));
    expect(pid).toBeGreaterThan(1);
    expect(isRunning(pid)).toBe(false);
    expect(result).toMatchObject({ ending: "exited", survivorsKilled: 1 });
  });

  itNeeds("proc", "ending one tree leaves the trees of other trials alone", async () => {
    const capability = startCapability();
    const other = new AbortController();
    const otherLines: string[] = [];
    const otherResult = capability.run({
      argv: ["sh", "-c", "echo $$; sleep 0.6; echo done"],
      cwd: "/",
      env,
      stdout: { onLine: (line) => otherLines.push(line) },
      signal: other.signal,
    });

    const ended = await capability.run({ argv: ["sleep", "30"], cwd: "/", env, timeoutMs: 100 });

    expect(ended.ending).toBe("timed_out");
    expect(await otherResult).toMatchObject({ ending: "exited", exitCode: 0, survivorsKilled: 0 });
    expect(otherLines).toHaveLength(2);
  });

  itNeeds("proc", "one signal ends many trees at once, without a warning", async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning.message);
    process.on("warning", onWarning);
    const controller = new AbortController();
    const pids: number[] = [];
    const onLine = (line: string): void => {
      if (pids.push(Number(line)) === 40) controller.abort();
    };
    const capability = startCapability();
    const request = {
      argv: ["sh", "-c", `${stubbornGrandchild} ${stubborn}`],
      cwd: "/",
      env,
    } as const;

    const results = await Promise.all(
      Array.from({ length: 20 }, () =>
        capability.run({
          ...request,
          graceMs: 100,
          signal: controller.signal,
          stdout: { onLine },
        }),
      ),
    );
    process.off("warning", onWarning);

    expect(results.map((result) => result.ending)).toEqual(Array(20).fill("cancelled"));
    expect(pids.filter(isRunning)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  itNeeds(
    "proc",
    "output held by a process that cannot be found does not hold up the result",
    async () => {
      const pidFile = join(temporaryFolder(), "pid");
      const lost = `env -i setsid sh -c 'echo $$ > ${pidFile}; echo held; exec sleep 30'`;
      const script = `(${lost} &); while ! [ -s ${pidFile} ]; do sleep 0.02; done`;

      const result = await runScript(script);

      process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL");
      expect(result).toMatchObject({ ending: "exited", exitCode: 0, stdout: { text: "held\n" } });
      expect(result.durationMs).toBeLessThan(5000);
    },
  );

  it("output that a short-lived child writes after the end of its parent is still taken", async () => {
    const result = await runScript("(sleep 0.1; echo late) & echo early");

    expect(result.stdout.text).toBe("early\nlate\n");
    expect(result.survivorsKilled).toBe(0);
  });
});
