import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { createNodePlatform } from "../../packages/assay/src/platform/node-platform.ts";
import { livenessOf, readOwnIdentity } from "../../packages/assay/src/platform/process-identity.ts";
import { defaultScratchParent } from "../../packages/assay/src/platform/scratch.ts";
import { newToken } from "../../packages/assay/src/support/ids.ts";
import { itNeeds, repoRoot } from "../support/tools.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import "./real-processes.ts";

function platformIn(scratchParent: string) {
  return createNodePlatform({ env: {}, scratchParent });
}

/** Changes what the marker of a scratch root says. */
function editMarker(path: string, changes: Record<string, unknown>): void {
  const marker = join(path, "assay-scratch.json");
  writeFileSync(
    marker,
    JSON.stringify({ ...JSON.parse(readFileSync(marker, "utf8")), ...changes }),
  );
}

describe("where scratch roots are made", () => {
  it.each([
    { env: {}, parent: "/home/me/.cache/assay/scratch" },
    { env: { XDG_CACHE_HOME: "/caches" }, parent: "/caches/assay/scratch" },
    { env: { XDG_CACHE_HOME: "" }, parent: "/home/me/.cache/assay/scratch" },
    { env: { XDG_CACHE_HOME: "relative" }, parent: "/home/me/.cache/assay/scratch" },
    { env: { TMPDIR: "/tmp" }, parent: "/home/me/.cache/assay/scratch" },
  ])("for $env it is $parent", ({ env, parent }) => {
    expect(defaultScratchParent(env, "/home/me")).toBe(parent);
  });
});

describe("a scratch root", () => {
  it("is private, marked, listed as alive, and gone after its removal", async () => {
    const parent = join(temporaryFolder(), "cache", "scratch");
    const platform = platformIn(parent);
    const token = newToken();

    const scratch = await platform.createScratch({ token, runId: "run-1" });

    expect(basename(scratch.path)).toMatch(/^assay-[0-9a-f]{8}$/);
    expect(statSync(scratch.path).mode & 0o777).toBe(0o700);
    expect(await platform.listScratch()).toEqual([
      {
        path: scratch.path,
        token,
        runId: "run-1",
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        owner: "alive",
        isAlive: true,
      },
    ]);

    mkdirSync(join(scratch.path, "sealed"));
    writeFileSync(join(scratch.path, "sealed", "file"), "");
    chmodSync(join(scratch.path, "sealed"), 0o555);
    await scratch.remove();
    await scratch.remove();

    expect(existsSync(scratch.path)).toBe(false);
    expect(await platform.listScratch()).toEqual([]);
  });

  it("two of one run are two", async () => {
    const platform = platformIn(temporaryFolder());
    const options = { token: newToken(), runId: "run-1" };

    const [first, second] = [
      await platform.createScratch(options),
      await platform.createScratch(options),
    ];

    expect(first.path).not.toBe(second.path);
    expect(await platform.listScratch()).toHaveLength(2);
  });

  it.each([
    { changes: { start_ticks: 1 }, owner: "dead", isAlive: false },
    { changes: { boot_id: "00000000-0000-0000-0000-000000000000" }, owner: "dead", isAlive: false },
    { changes: { hostname: "some-other-host" }, owner: "elsewhere", isAlive: true },
    { changes: { pid_namespace: "pid:[1]" }, owner: "elsewhere", isAlive: true },
  ])("with a marker of $changes its owner is $owner", async ({ changes, owner, isAlive }) => {
    const platform = platformIn(temporaryFolder());
    const { path } = await platform.createScratch({ token: newToken(), runId: "run-1" });
    editMarker(path, changes);

    expect(await platform.listScratch()).toMatchObject([{ path, owner, isAlive }]);
  });

  it("a dead one is removed by its entry", async () => {
    const platform = platformIn(temporaryFolder());
    const { path } = await platform.createScratch({ token: newToken(), runId: "run-1" });
    editMarker(path, { start_ticks: 1 });

    for (const entry of await platform.listScratch()) await platform.removeScratch(entry);

    expect(existsSync(path)).toBe(false);
  });

  it.each([
    { what: "no JSON", content: "{" },
    { what: "an empty token, which would be found in every environment", changes: { token: "" } },
    { what: "a part missing", changes: { pid: undefined } },
  ])("a marker with $what makes no scratch root", async ({ content, changes }) => {
    const platform = platformIn(temporaryFolder());
    const { path } = await platform.createScratch({ token: newToken(), runId: "run-1" });
    if (changes !== undefined) editMarker(path, changes);
    if (content !== undefined) writeFileSync(join(path, "assay-scratch.json"), content);

    expect(await platform.listScratch()).toEqual([]);
  });

  it("that its maker was killed before it signed goes when the next one is made, not while it may be signed", async () => {
    const parent = temporaryFolder();
    const roots = ["assay-00000001", "assay-00000002", "assay-00000003", "assay-00000004"];
    const [empty = "", half = "", used = "", young = ""] = roots.map((name) => join(parent, name));
    for (const root of [empty, half, used, young]) mkdirSync(root);
    writeFileSync(join(half, ".assay-scratch.json.0123456789ab.tmp"), "{");
    writeFileSync(join(used, "somebody's.txt"), "");
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const root of [empty, half, used]) utimesSync(root, longAgo, longAgo);

    await platformIn(parent).createScratch({ token: newToken(), runId: "next" });

    expect([empty, half, used, young].map((root) => existsSync(root))).toEqual([
      ...[false, false],
      ...[true, true],
    ]);
  });

  it("links, other names and other folders are not taken for scratch roots", async () => {
    const parent = temporaryFolder();
    const platform = platformIn(parent);
    const { path } = await platform.createScratch({ token: newToken(), runId: "run-1" });
    renameSync(path, join(parent, "renamed"));
    symlinkSync("renamed", path);
    mkdirSync(join(parent, "assay-00000000"));

    expect(await platform.listScratch()).toEqual([]);
  });

  it("one of another user is left out", async (context) => {
    if (process.geteuid?.() !== 0) context.skip("only root can give a folder away");
    const platform = platformIn(temporaryFolder());
    const { path } = await platform.createScratch({ token: newToken(), runId: "run-1" });
    chownSync(path, 65_534, 65_534);

    expect(await platform.listScratch()).toEqual([]);
  });

  it("a parent that does not exist has none", async () => {
    expect(await platformIn("/no/such/folder").listScratch()).toEqual([]);
  });
});

itNeeds(
  "proc",
  "a process is alive until it ends, also while it only waits to be reaped",
  async () => {
    const child = spawn("sh", ["-c", "cut -d ' ' -f 22 /proc/$$/stat; read line"]);
    const ended = once(child, "exit");
    const [line] = await once(createInterface(child.stdout), "line");
    const identity = { ...readOwnIdentity(), pid: child.pid ?? 0, startTicks: Number(line) };
    expect(livenessOf(identity)).toBe("alive");

    child.stdin.end();
    await ended;

    expect(livenessOf(identity)).toBe("dead");
    expect(livenessOf(readOwnIdentity())).toBe("alive");
  },
);

it("a scratch root that is to go with its process is gone after it", () => {
  const parent = temporaryFolder();
  const script = join(temporaryFolder(), "host.mts");
  const source = join(repoRoot, "packages/assay/src/platform/node-platform.ts");
  writeFileSync(
    script,
    `import { createNodePlatform } from ${JSON.stringify(source)};
     const platform = createNodePlatform({ env: {}, scratchParent: ${JSON.stringify(parent)} });
     const token = "0123456789abcdef";
     const going = await platform.createScratch({ token, runId: "going", isRemovedAtExit: true });
     const staying = await platform.createScratch({ token, runId: "staying" });
     process.stdout.write(JSON.stringify([going.path, staying.path]));`,
  );

  const told = execFileSync(join(repoRoot, "node_modules/.bin/jiti"), [script], {
    encoding: "utf8",
    env: { ...process.env, JITI_FS_CACHE: "false" },
  });
  const [going, staying] = JSON.parse(told) as [string, string];

  expect(existsSync(going)).toBe(false);
  expect(existsSync(staying)).toBe(true);
});

it("the platform tells the facts of the host, and keeps scratch in the user's cache", async () => {
  const { host } = createNodePlatform({ env: {} });

  expect(host).toMatchObject({
    os: process.platform,
    architecture: process.arch,
    nodeVersion: process.version.slice(1),
  });
  expect(host.cpuCount).toBeGreaterThan(0);
  expect(defaultScratchParent({}, homedir()).startsWith(homedir())).toBe(true);
});
