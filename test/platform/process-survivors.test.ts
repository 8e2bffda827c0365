import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  readProcess,
  readProcessTable,
} from "../../packages/assay/src/platform/process/process-table.ts";
import {
  endGroup,
  membersOf,
  rememberTree,
  signalAll,
} from "../../packages/assay/src/platform/process/process-tree.ts";
import { reap, reapBelow } from "../../packages/assay/src/platform/process/reap.ts";
import { createTableSource } from "../../packages/assay/src/platform/process/table-source.ts";
import { newToken } from "../../packages/assay/src/support/ids.ts";
import { defineTool, itNeeds, onPath, repoRoot } from "../support/tools.ts";
import { isRunning, startCapability } from "./real-processes.ts";
import { temporaryFolder } from "./temporary-folder.ts";

defineTool("python3", () => (onPath("python3") === null ? "Python is not installed" : null));

/** Starts a script that nobody supervises, and answers the first lines that it prints. */
async function startLoose(script: string, variables: Record<string, string>, lineCount = 1) {
  const child = spawn("sh", ["-c", script], {
    detached: true,
    env: { PATH: process.env["PATH"], ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pids: number[] = [];
  for await (const line of createInterface(child.stdout)) {
    pids.push(Number(line));
    if (pids.length === lineCount) break;
  }
  return { child, pids };
}

itNeeds(
  "proc",
  "reaping by token kills its carriers and their children, and nobody else",
  async () => {
    const [dead, alive] = [newToken(), newToken()];
    const child = `env -i sh -c 'trap "" TERM; echo $$; while :; do sleep 1; done'`;
    const carrier = await startLoose(`echo $$; ${child} & wait`, { ASSAY_RUN_MARK: dead }, 2);
    const other = await startLoose("echo $$; sleep 60", { ASSAY_RUN_MARK: alive });

    const directory = temporaryFolder();

    const count = await reap({ token: dead, directory });

    expect(count).toBeGreaterThanOrEqual(2);
    expect(carrier.pids.filter(isRunning)).toEqual([]);
    expect(other.pids.every(isRunning)).toBe(true);
    expect(await reap({ token: dead, directory })).toBe(0);
    expect(await reap({ token: alive, directory })).toBeGreaterThanOrEqual(1);
  },
);

itNeeds("proc", "a token that is too short to be one is refused", async () => {
  const directory = "/a/b";

  await expect(reap({ token: "", directory })).rejects.toMatchObject({ code: "ASSAY_INVARIANT" });
  await expect(reap({ token: "abc", directory })).rejects.toMatchObject({
    code: "ASSAY_INVARIANT",
  });
});

it.each(["", "/", "/home", "relative/folder", "/a/b/..", "/a//b", "/a/b/"])(
  "the directory %j is refused, for too much may live below it",
  async (directory) => {
    const refusal = { code: "ASSAY_INVARIANT" };

    await expect(reap({ token: newToken(), directory })).rejects.toMatchObject(refusal);
    await expect(startCapability().endBelow(directory)).rejects.toMatchObject(refusal);
  },
);

/** Starts a process of nobody: of another session and another parent, with an empty environment. */
async function startStray(script: string, folder: string): Promise<number> {
  const pidFile = join(folder, `${newToken()}.pid`);
  const launcher = spawn(
    "env",
    ["-i", "setsid", "sh", "-c", `(${script}) & echo $! > "$0"`, pidFile],
    {
      cwd: folder,
      stdio: "ignore",
    },
  );
  await once(launcher, "exit");
  const pid = Number(readFileSync(pidFile, "utf8"));
  onTestFinished(() => void (isRunning(pid) && process.kill(pid, "SIGKILL")));
  return pid;
}

describe("a process that left its parents, its session and its environment", () => {
  const strays: Readonly<Record<string, (folder: string) => string>> = {
    "works in the directory": () => "exec sleep 60",
    "works in a directory of it that is gone": (folder) =>
      `mkdir ${folder}/gone; cd ${folder}/gone; rmdir ${folder}/gone; exec sleep 60`,
    "runs a program of the directory": (folder) =>
      `cp "$(command -v sleep)" ${folder}/mine; cd /; exec ${folder}/mine 60`,
    "writes to a file of the directory": (folder) => `cd /; exec sleep 60 > ${folder}/log`,
    "started others before it left": (folder) =>
      `cd ${folder}; sh -c 'cd /; exec sleep 60' & exec sleep 60`,
  };

  itNeeds("proc", "is ended with the work in the directory that it lives in", async () => {
    for (const [what, script] of Object.entries(strays)) {
      const folder = temporaryFolder();
      const pid = await startStray(script(folder), folder);
      await vi.waitUntil(() => lives(pid, folder), 5000);

      const count = what.startsWith("started others") ? 2 : 1;
      expect([what, await startCapability().endBelow(folder)]).toEqual([what, count]);
      expect([what, isRunning(pid)]).toEqual([what, false]);
    }
  });

  itNeeds("proc", "is ended by `clean` with the scratch of a dead run", async () => {
    const folder = temporaryFolder();
    const pid = await startStray("exec sleep 60", folder);

    expect(await reap({ token: newToken(), directory: folder })).toBe(1);
    expect(isRunning(pid)).toBe(false);
  });

  itNeeds("proc", "is left alone by work in any other directory", async () => {
    const [folder, other] = [temporaryFolder(), temporaryFolder()];
    const bystander = await startStray("exec sleep 60", other);
    const namesake = join(folder, "run");
    mkdirSync(`${namesake}-2`);
    mkdirSync(namesake);
    const neighbour = await startStray("exec sleep 60", `${namesake}-2`);
    const reader = await startStray(
      `echo > ${namesake}/log; cd /; exec sleep 60 < ${namesake}/log`,
      namesake,
    );
    await vi.waitUntil(() => readlinkSync(`/proc/${reader}/cwd`) === "/");
    symlinkSync(other, join(folder, "link"));

    expect(await startCapability().endBelow(namesake)).toBe(0);
    expect(await startCapability().endBelow(join(folder, "link"))).toBe(0);
    expect([bystander, neighbour, reader].map(isRunning)).toEqual([true, true, true]);
  });

  itNeeds("proc", "is left alone when it is older than the host of the work", async () => {
    const folder = temporaryFolder();
    const pid = await startStray("exec sleep 60", folder);
    const tables = createTableSource(0);
    const startTicks = readProcess(pid)?.startTicks ?? 0;

    expect(await reapBelow(folder, { tables, minStartTicks: startTicks + 1 })).toBe(0);
    expect(await reapBelow(folder, { tables, minStartTicks: startTicks })).toBe(1);
  });
});

/** It has come to where its script sends it. */
function lives(pid: number, folder: string): boolean {
  const links = ["cwd", "exe", "fd/1"].map((link) => readlinkSync(`/proc/${pid}/${link}`));
  return links.some((link) => link.startsWith(folder)) && links[1]?.endsWith("sh") === false;
}

itNeeds(
  "proc",
  "a pid that another process got meanwhile is neither a member nor signalled",
  async () => {
    const { child, pids } = await startLoose("echo $$; exec sleep 60", {});
    const pid = pids[0] ?? 0;
    const entry = readProcess(pid);
    if (entry === null) throw new Error("the process is not there");
    const earlier = { ...entry, startTicks: entry.startTicks - 1 };
    const tree = { ...rememberTree(pid, newToken()), known: new Map([[pid, earlier.startTicks]]) };

    expect(membersOf(tree, readProcessTable(0))).toEqual([]);
    expect(signalAll([earlier], "SIGKILL")).toEqual([]);
    expect(isRunning(pid)).toBe(true);

    expect(signalAll([entry], "SIGKILL")).toEqual([entry]);
    await once(child, "exit");
  },
);

const asking = (graceMs: number) => ({ graceMs, stopSignal: "SIGTERM" }) as const;

it("without a table of processes the group of the process is ended, and killed after the grace", async () => {
  const polite = await startLoose("echo $$; exec sleep 60", {});
  const stubborn = await startLoose('trap "" TERM; echo $$; while :; do sleep 1; done', {});
  const ended = [once(polite.child, "exit"), once(stubborn.child, "exit")];

  expect(await endGroup(polite.pids[0] ?? 0, asking(5000))).toBe(0);
  expect(await endGroup(stubborn.pids[0] ?? 0, asking(50))).toBe(1);
  expect(await endGroup(stubborn.pids[0] ?? 0, asking(5000))).toBe(0);

  await Promise.all(ended);
  expect(polite.child.signalCode).toBe("SIGTERM");
  expect(stubborn.child.signalCode).toBe("SIGKILL");
});

itNeeds("proc", "a program name with parentheses and spaces is read rightly", async () => {
  const folder = temporaryFolder();
  const program = join(folder, "a) S (1 2");
  writeFileSync(program, "#!/bin/sh\necho $$\nsleep 60\n", { mode: 0o755 });
  const { child, pids } = await startLoose(`exec '${program}'`, {});

  expect(readProcess(pids[0] ?? 0)).toMatchObject({
    pid: pids[0],
    parentPid: process.pid,
    sessionId: pids[0],
  });

  process.kill(-(pids[0] ?? 0), "SIGKILL");
  await once(child, "exit");
});

itNeeds(
  ["proc", "python3"],
  "a process whose first thread has ended is alive while another runs",
  async () => {
    const folder = temporaryFolder();
    const program = `
import ctypes, os, threading, time
threading.Thread(target=time.sleep, args=(60,)).start()
print(os.getpid(), flush=True)
ctypes.CDLL(None).pthread_exit(None)
`;
    writeFileSync(join(folder, "program.py"), program);
    const { child, pids } = await startLoose(`exec python3 ${folder}/program.py`, {});
    const pid = pids[0] ?? 0;
    const stateOf = (): string => readFileSync(`/proc/${pid}/stat`, "latin1").split(" ")[2] ?? "";
    await vi.waitUntil(() => stateOf() === "Z");

    expect(readProcess(pid)).toMatchObject({ pid });

    process.kill(pid, "SIGKILL");
    await once(child, "exit");
    expect(readProcess(pid)).toBeNull();
  },
);

itNeeds("proc", "the end of the host process kills what it started", async () => {
  const source = join(repoRoot, "packages/assay/src/platform");
  const script = join(temporaryFolder(), "host.mts");
  writeFileSync(
    script,
    `import { createNodePlatform } from ${JSON.stringify(join(source, "node-platform.ts"))};
     const run = createNodePlatform({ env: process.env }).process("0123456789abcdef").run;
     const loop = 'trap "" TERM; echo $$; while :; do sleep 1; done';
     const pids = [];
     void run({
       argv: ["sh", "-c", "setsid sh -c '" + loop + "' & " + loop],
       cwd: "/",
       env: { PATH: process.env.PATH },
       stdout: { onLine: (pid) => pids.push(pid) === 2 && (console.log(pids.join("\\n")), process.exit(7)) },
     });`,
  );
  const host = spawn(join(repoRoot, "node_modules/.bin/jiti"), [script], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, JITI_FS_CACHE: "false" },
  });
  const pids: number[] = [];
  for await (const line of createInterface(host.stdout)) pids.push(Number(line));
  if (host.exitCode === null) await once(host, "exit");

  expect(host.exitCode).toBe(7);
  expect(pids).toHaveLength(2);
  // They were killed before the host was gone; a busy machine takes a moment to end them.
  await vi.waitUntil(() => !pids.some(isRunning));
});
