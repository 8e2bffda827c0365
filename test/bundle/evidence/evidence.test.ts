import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createEvidence } from "../../../packages/assay/src/bundle/evidence/evidence.ts";
import type { VerifierRequest } from "../../../packages/assay/src/contracts/evidence.ts";
import { systemClock } from "../../../packages/assay/src/platform/clock.ts";
import { nodeFileStore as files } from "../../../packages/assay/src/platform/files/node-file-store.ts";
import { createProcessCapability } from "../../../packages/assay/src/platform/process/process-capability.ts";
import { parseValue } from "../../../packages/assay/src/schema/codec.ts";
import { evidenceSetSchema } from "../../../packages/assay/src/schema/evidence.ts";
import { newToken } from "../../../packages/assay/src/support/ids.ts";

let folder: string;
let scratch: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "assay-evidence-")));
  scratch = join(folder, "scratch");
  mkdirSync(scratch);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (contents: Readonly<Record<string, string | Buffer>>) => {
  for (const [path, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
};

const processes = createProcessCapability({
  token: newToken(),
  hostEnv: { ...process.env, HOST_API_KEY: "host-secret-value" },
  clock: systemClock,
});

const open = (descriptors: Readonly<Record<string, object>>, isForeign = false) =>
  createEvidence({
    set: parseValue(evidenceSetSchema, { descriptors }, { source: "test" }),
    baseDir: folder,
    isForeign,
    files,
    process: processes,
    scratch,
  });

const filesystem = (ref: string, isForeign = false) =>
  open({ final: { kind: "filesystem", ref } }, isForeign).filesystem("final");

describe("a set of evidence", () => {
  const evidence = () =>
    open({
      logs: { kind: "logs", ref: "l" },
      final: { kind: "filesystem", ref: "f" },
      note: { kind: "logs", data: 0 },
    });

  it("lists names in their order, of one kind if asked", () => {
    expect(evidence().names()).toEqual(["logs", "final", "note"]);
    expect(evidence().names("logs")).toEqual(["logs", "note"]);
  });

  it("gives a descriptor or null, and opens nothing for it", () => {
    expect(evidence().get("final")).toMatchObject({ kind: "filesystem", ref: "f" });
    expect(evidence().get("other")).toBeNull();
    expect(evidence().get("constructor")).toBeNull();
  });

  it("says which evidence there is when the one asked for is not there", () => {
    expect(() => evidence().require("trace")).toThrow(
      /no evidence "trace"; there is: logs, final, note/,
    );
    expect(() => evidence().require("trace")).toThrow(
      expect.objectContaining({
        code: "ASSAY_EVIDENCE_UNAVAILABLE",
        data: { name: "trace", isInputAbsent: true },
      }),
    );
  });

  it("refuses another kind", async () => {
    expect(() => evidence().require("logs", "filesystem")).toThrow(
      /is of kind "logs", not "filesystem"/,
    );
    await expect(evidence().filesystem("logs")).rejects.toThrow(/not "filesystem"/);
    await expect(evidence().logs("final")).rejects.toThrow(/not "logs"/);
  });

  it("is empty where a trial has none", () => {
    const none = createEvidence({
      set: null,
      baseDir: folder,
      isForeign: false,
      files,
      process: processes,
    });

    expect(none.names()).toEqual([]);
    expect(() => none.require("x")).toThrow(/there is none/);
  });

  it("gives the same handle again", async () => {
    write({ "f/a": "x" });
    const set = open({ final: { kind: "filesystem", ref: "f" } });

    expect(await set.filesystem("final")).toBe(await set.filesystem("final"));
  });
});

describe("the ref of evidence", () => {
  it.each([
    ["a path relative to the bundle", () => "state"],
    ["an absolute path", () => join(folder, "state")],
    ["a file URI", () => `file://${join(folder, "state")}`],
    ["a file URI with a host", () => `file://localhost${join(folder, "state")}`],
  ])("may be %s", async (_what, ref) => {
    write({ "state/answer.txt": "5" });

    expect(await (await filesystem(ref())).readText("answer.txt")).toBe("5");
  });

  it("is not percent-decoded", async () => {
    write({ "a%20b/answer.txt": "5" });

    expect(await (await filesystem(`file://${folder}/a%20b`)).readText("answer.txt")).toBe("5");
  });

  it.each(["http://h/x", "https://h/x", "s3://b/x", "gs://b/x", "ssh:x", "data:text/plain,x"])(
    "%s is refused when the handle is made, the descriptor is fine",
    async (ref) => {
      const evidence = open({ final: { kind: "filesystem", ref } });

      expect(evidence.require("final").ref).toBe(ref);
      await expect(evidence.filesystem("final")).rejects.toThrow(/is not local/);
    },
  );

  it("of one letter before the colon is a path of Windows, not a scheme", async () => {
    await expect(filesystem("C:\\run\\state")).rejects.toThrow(/is not there/);
  });

  it("that is no directory, is not there or is missing is refused", async () => {
    write({ file: "x" });

    await expect(filesystem("file")).rejects.toThrow(/is no directory/);
    await expect(filesystem("nowhere")).rejects.toMatchObject({ data: { isInputAbsent: true } });
    await expect(
      open({ final: { kind: "filesystem", data: "x" } }).filesystem("final"),
    ).rejects.toThrow(/has no ref/);
  });

  it.each(["../outside", "link"])("%s never leads out of the bundle", async (ref) => {
    const outside = mkdtempSync(join(dirname(folder), "assay-outside-"));
    symlinkSync(outside, join(folder, "link"));
    try {
      await expect(filesystem(ref)).rejects.toMatchObject({ code: "ASSAY_PATH_ESCAPES" });
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  it.each([
    ["absolute", () => join(folder, "state")],
    ["a file URI", () => `file://${folder}/state`],
    ["of Windows", () => "C:\\state"],
  ])("of somebody else's bundle is not followed when it is %s", async (_what, ref) => {
    write({ "state/answer.txt": "5" });

    await expect(filesystem(ref(), true)).rejects.toMatchObject({ code: "ASSAY_PATH_ESCAPES" });
    expect(await (await filesystem("state", true)).exists("answer.txt")).toBe(true);
  });
});

describe("evidence that is a directory", () => {
  beforeEach(() => {
    write({
      "state/answer.txt": "5",
      "state/nested/notes.txt": "n",
      "outside/secret.txt": "secret",
    });
    symlinkSync(join(folder, "outside/secret.txt"), join(folder, "state/planted.txt"));
    symlinkSync("../outside", join(folder, "state/planted"));
    symlinkSync("answer.txt", join(folder, "state/inner.txt"));
    symlinkSync("nowhere", join(folder, "state/dangling"));
    symlinkSync("loop", join(folder, "state/loop"));
  });

  it.each([
    "../outside",
    "..",
    "planted.txt",
    "planted/secret.txt",
    "nested/../../outside",
    "/etc/passwd",
    "a\0b",
  ])("refuses %j, which leads out", async (path) => {
    const state = await filesystem("state");

    for (const ask of [
      state.path,
      state.exists,
      state.readText,
      state.readBytes,
      state.iteratePaths,
    ]) {
      await expect(ask(path)).rejects.toMatchObject({ code: "ASSAY_PATH_ESCAPES" });
    }
  });

  it("resolves paths, absolute ones too when they lie inside", async () => {
    const state = await filesystem("state");

    expect(await state.path()).toBe(join(folder, "state"));
    expect(await state.path("nested/new.txt")).toBe(join(folder, "state/nested/new.txt"));
    expect(await state.path("inner.txt")).toBe(join(folder, "state/answer.txt"));
    expect(await state.path(join(folder, "state/answer.txt"))).toBe(
      join(folder, "state/answer.txt"),
    );
  });

  it("says what exists", async () => {
    const state = await filesystem("state");

    expect(await state.exists("answer.txt")).toBe(true);
    expect(await state.exists("nested")).toBe(true);
    expect(await state.exists("none/x")).toBe(false);
    expect(await state.exists("dangling")).toBe(false);
  });

  it("iterates files and directories, sorted, links that lead out left out", async () => {
    const state = await filesystem("state");

    expect(await state.iteratePaths()).toEqual(["answer.txt", "inner.txt", "nested"]);
    expect(await state.iteratePaths(".", { isRecursive: true })).toEqual([
      "answer.txt",
      "inner.txt",
      "nested",
      "nested/notes.txt",
    ]);
    expect(await state.iteratePaths("nested")).toEqual(["nested/notes.txt"]);
    expect(await state.iteratePaths("answer.txt")).toEqual(["answer.txt"]);
  });

  it.each([
    [undefined, ["answer.txt", "inner.txt", "nested/notes.txt"]],
    ["**/*", ["answer.txt", "inner.txt", "nested/notes.txt"]],
    ["*.txt", ["answer.txt", "inner.txt"]],
    ["**/n*.txt", ["nested/notes.txt"]],
    ["nested/**", ["nested/notes.txt"]],
    ["?????r.txt", ["answer.txt"]],
    ["answer.t.t", []],
    ["../**", []],
  ])("lists regular files by the pattern %j", async (pattern, expected) => {
    expect(await (await filesystem("state")).listFiles(pattern)).toEqual(expected);
  });
});

describe("the difference of two directories", () => {
  beforeEach(() => {
    write({
      "before/keep": "k",
      "before/src/mod.py": "old",
      "before/gone": "g",
      "before/same-size": "aaa",
    });
    write({
      "after/keep": "k",
      "after/src/mod.py": "new",
      "after/added": "a",
      "after/same-size": "bbb",
    });
    symlinkSync("/etc/hostname", join(folder, "after/planted"));
  });

  it("names what was added, deleted and modified", async () => {
    const diff = await (await filesystem("before")).diff(await filesystem("after"));

    expect(diff.entries).toEqual([
      { path: "added", kind: "added" },
      { path: "gone", kind: "deleted" },
      { path: "same-size", kind: "modified" },
      { path: "src/mod.py", kind: "modified" },
    ]);
    expect(diff.changed()).toEqual(["added", "gone", "same-size", "src/mod.py"]);
    expect(diff.changed({ prefix: "src/", kinds: ["modified"] })).toEqual(["src/mod.py"]);
    expect(diff.changed({ kinds: ["deleted", "added"] })).toEqual(["added", "gone"]);
  });

  it("of one file is a patch; a missing side counts as empty", async () => {
    const [before, after] = [await filesystem("before"), await filesystem("after")];

    expect(await before.unifiedDiff(after, "src/mod.py")).toContain(
      "--- a/src/mod.py\n+++ b/src/mod.py\n@@ -1 +1 @@\n-old",
    );
    expect(await before.unifiedDiff(after, "keep")).toBe("");
    expect(await before.unifiedDiff(after, "added")).toContain("@@ -0,0 +1 @@");
    expect(await before.unifiedDiff(after, "gone")).toContain("@@ -1 +0,0 @@");
  });

  it("of one file is empty when a side is no UTF-8", async () => {
    write({
      "before/bin": Buffer.from([0xff, 0xfe]),
      "after/bin": Buffer.from([0xff, 0xfd]),
      "after/keep": Buffer.from([0x80]),
    });
    const [before, after] = [await filesystem("before"), await filesystem("after")];

    expect(await before.unifiedDiff(after, "bin")).toBe("");
    expect(await before.unifiedDiff(after, "keep")).toBe("");
  });
});

describe("a verifier", () => {
  beforeEach(() =>
    write({ "state/answer.txt": "5", "state/tests/old.sh": "old", "outside/secret.txt": "secret" }),
  );

  const verify = async (script: string, request: Partial<VerifierRequest> = {}) =>
    (await filesystem("state")).runVerifier({ command: ["sh", "-c", script], ...request });

  it("sees the evidence and gives exit code and output", async () => {
    expect(await verify("cat answer.txt; echo problem >&2; exit 3")).toEqual({
      exitCode: 3,
      stdout: "5",
      stderr: "problem\n",
      isTimedOut: false,
      spawnError: null,
      spawnErrorCode: null,
      isOk: false,
      collected: {},
      uncollectable: [],
    });
    expect((await verify("true")).isOk).toBe(true);
  });

  it("changes nothing of the evidence, and leaves no copy behind", async () => {
    await verify(
      "echo 6 > answer.txt; touch new; rm -r tests; mkdir locked; touch locked/x; chmod 500 locked",
    );

    expect(readFileSync(join(folder, "state/answer.txt"), "utf8")).toBe("5");
    expect(readdirSync(join(folder, "state")).sort()).toEqual(["answer.txt", "tests"]);
    expect(readdirSync(scratch)).toEqual([]);
  });

  it("sees overlay files in place of the evidence's", async () => {
    const overlayFiles = {
      "answer.txt": "7",
      "tests/deep/check.sh": Buffer.from("new"),
      tests2: "x",
    };
    const result = await verify("cat answer.txt tests/deep/check.sh tests/old.sh tests2", {
      overlayFiles,
    });

    expect(result.stdout).toBe("7newoldx");
    expect(readFileSync(join(folder, "state/answer.txt"), "utf8")).toBe("5");
  });

  it.each(["../escape.txt", "/tmp/escape.txt", "a/../../x", ".", "a/", "a\0b"])(
    "refuses the overlay file %j",
    async (path) => {
      await expect(verify("true", { overlayFiles: { [path]: "x" } })).rejects.toMatchObject({
        code: "ASSAY_PATH_ESCAPES",
      });
      expect(readdirSync(scratch)).toEqual([]);
    },
  );

  it("refuses a working directory outside of the copy, by name or through a link", async () => {
    symlinkSync("tests", join(folder, "state/inside"));

    await expect(verify("true", { cwd: ".." })).rejects.toMatchObject({
      code: "ASSAY_PATH_ESCAPES",
    });
    await expect(verify("true", { cwd: join(folder, "state") })).rejects.toMatchObject({
      code: "ASSAY_PATH_ESCAPES",
    });
    expect((await verify("cat old.sh", { cwd: "inside" })).stdout).toBe("old");
    expect((await verify("cat old.sh", { cwd: "tests" })).stdout).toBe("old");
  });

  it("has no planted link in its copy, not even an absolute one to the inside", async () => {
    symlinkSync(join(folder, "outside/secret.txt"), join(folder, "state/planted.txt"));
    symlinkSync("../outside", join(folder, "state/up"));
    symlinkSync(join(folder, "state/answer.txt"), join(folder, "state/absolute.txt"));
    symlinkSync("answer.txt", join(folder, "state/inner.txt"));

    expect((await verify("ls")).stdout.split("\n").filter(Boolean)).toEqual([
      "answer.txt",
      "inner.txt",
      "tests",
    ]);
  });

  it("replaces a link that stands where an overlay file goes, as a file or as its folder", async () => {
    write({ "state/real/kept.txt": "kept" });
    symlinkSync("real", join(folder, "state/folder"));
    symlinkSync("answer.txt", join(folder, "state/file.txt"));
    const overlayFiles = {
      "folder/kept.txt": "over",
      "file.txt": "over",
      "answer.txt/below": "b",
      tests: "t",
    };

    const result = await verify(
      "cat folder/kept.txt real/kept.txt file.txt answer.txt/below tests",
      { overlayFiles },
    );

    expect(result.stdout).toBe("overkeptoverbt");
  });

  it("runs with a small environment of its own, and no secret of the host", async () => {
    const result = await verify("env; echo HOME=$HOME; pwd", { env: { GIVEN: "yes" } });

    const names = result.stdout.split("\n").map((line) => line.split("=")[0] ?? "");
    expect(result.stdout).not.toContain("host-secret-value");
    expect(names).toContain("GIVEN");
    const home = /HOME=(.*)/.exec(result.stdout)?.[1] ?? "";
    expect(home.startsWith(scratch)).toBe(true);
    expect(
      names.filter((name) => /KEY|TOKEN|SECRET/.test(name) && !name.startsWith("ASSAY_")),
    ).toEqual([]);
  });

  it("is ended with its whole tree at its time limit, and what it had said is kept", async () => {
    const pidFile = join(folder, "pid");
    const script = `sleep 300 & echo $! > ${pidFile}; echo so far; echo 1 > reward.txt; sleep 300`;
    const result = await verify(script, { timeoutMs: 400, collect: ["reward.txt"] });

    expect(result).toMatchObject({
      isTimedOut: true,
      isOk: false,
      stdout: "so far\n",
      collected: { "reward.txt": "1\n" },
    });
    const alive = spawnSync("ps", ["-p", readFileSync(pidFile, "utf8").trim(), "-o", "stat="], {
      encoding: "utf8",
    });
    expect(alive.stdout.trim().replace(/^Z.*/, "")).toBe("");
    expect(readdirSync(scratch)).toEqual([]);
  });

  it("ends what left it, wherever it went, before the copy is removed", async () => {
    const pidFile = join(folder, "stray");
    const stray = `sh -c 'echo $$ > ${pidFile}; exec sleep 300' > /dev/null 2>&1 < /dev/null &`;

    await verify(
      `env -i setsid sh -c "(${stray.replaceAll("$", "\\$")})"; until [ -s ${pidFile} ]; do :; done`,
    );

    const pid = readFileSync(pidFile, "utf8").trim();
    const { stdout } = spawnSync("ps", ["-p", pid, "-o", "stat="], { encoding: "utf8" });
    expect(stdout.trim().replace(/^Z.*/, "")).toBe("");
  });

  it("keeps a bounded head of endless output, which says that it was cut", async () => {
    const result = await verify("head -c 3000000 /dev/zero | tr '\\0' x");

    expect(result.isOk).toBe(true);
    expect(result.stdout).toMatch(/^[^…]{262144}…$/);
  });

  it("says why it could not be started", async () => {
    const result = await (await filesystem("state")).runVerifier({
      command: ["no-such-program-here"],
    });

    expect(result).toMatchObject({ isOk: false, exitCode: null, isTimedOut: false });
    expect(result).toMatchObject({ spawnErrorCode: "ENOENT", spawnError: expect.anything() });
  });

  it("takes its command without a shell", async () => {
    const result = await (await filesystem("state")).runVerifier({ command: ["echo", "$HOME; *"] });

    expect(result.stdout).toBe("$HOME; *\n");
  });

  it("collects small regular files of the copy only", async () => {
    const script = [
      "echo 0.5 > reward.txt",
      "mkdir sub && echo '{}' > sub/reward.json",
      `ln -s ${folder}/outside/secret.txt link.txt`,
      `ln -s ${folder}/outside linked`,
      "head -c 2000000 /dev/zero > big.bin",
      "mkdir folder",
    ].join("; ");
    const collect = ["reward.txt", "sub/reward.json", "link.txt", "big.bin", "folder", "none.txt"];

    expect(await verify(script, { collect })).toMatchObject({
      collected: { "reward.txt": "0.5\n", "sub/reward.json": "{}\n" },
      uncollectable: ["link.txt", "big.bin", "folder"],
    });
    const outside = ["linked/secret.txt", "../../x"];
    expect(await verify(script, { collect: outside })).toMatchObject({
      collected: {},
      uncollectable: outside,
    });
  });

  it("ends with an error of its own when it is cancelled", async () => {
    const cancelled = verify("sleep 300", { signal: AbortSignal.timeout(100) });

    await expect(cancelled).rejects.toMatchObject({ code: "ASSAY_CANCELLED" });
    expect(readdirSync(scratch)).toEqual([]);
  });
});

describe("evidence that is logs", () => {
  const logs = () => open({ logs: { kind: "logs", ref: "l" } }).logs();

  it("lists and reads its files, and none outside", async () => {
    write({ "l/b.log": "b", "l/a/x.log": "x" });
    symlinkSync("/etc/hostname", join(folder, "l/planted"));

    expect(await (await logs()).listFiles()).toEqual(["a/x.log", "b.log"]);
    expect(await (await logs()).readText("a/x.log")).toBe("x");
    await expect((await logs()).readText("planted")).rejects.toMatchObject({
      code: "ASSAY_PATH_ESCAPES",
    });
    await expect((await logs()).tail("../x")).rejects.toMatchObject({ code: "ASSAY_PATH_ESCAPES" });
  });

  it.each<[string, number, string]>([
    ["line1\nline2\nline3\n", 2, "line2\nline3"],
    ["line1\nline2\nline3", 2, "line2\nline3"],
    ["line1\nline2\nline3\n", 9, "line1\nline2\nline3"],
    ["line1\nline2\nline3\n", 0, ""],
    ["line1\nline2\n", -1, ""],
    ["line1\n\n", 1, ""],
    ["line1\n\n", 2, "line1\n"],
    ["", 3, ""],
  ])("of %j, the last %i lines are %j", async (text, lines, expected) => {
    write({ "l/agent.log": text });

    expect(await (await logs()).tail("agent.log", lines)).toBe(expected);
  });

  it("gives the last 50 lines unless told otherwise", async () => {
    write({ "l/agent.log": Array.from({ length: 80 }, (_, index) => `${index}\n`).join("") });

    const tail = await (await logs()).tail("agent.log");

    expect(tail.split("\n")).toHaveLength(50);
    expect(tail.endsWith("\n79")).toBe(true);
  });

  it("gives whole lines of the last mebibyte of a large file, and whole characters of a larger line", async () => {
    write({
      "l/lines.log": `${"é".repeat(50_000)}\n`.repeat(30),
      "l/line.log": `x${"é".repeat(1024 * 1024)}`,
    });

    const lines = (await (await logs()).tail("lines.log", 1000)).split("\n");
    const line = await (await logs()).tail("line.log", 1);

    expect(lines).toHaveLength(10);
    expect(new Set(lines)).toEqual(new Set(["é".repeat(50_000)]));
    expect(line).toBe("é".repeat(512 * 1024));
  });
});

describe("an evidence handle", () => {
  it("puts its copies into the system's folder for temporary files when it has no scratch, and removes them", async () => {
    write({ "state/answer.txt": "5" });
    const set = parseValue(
      evidenceSetSchema,
      { descriptors: { s: { kind: "filesystem", ref: "state" } } },
      { source: "test" },
    );
    const evidence = createEvidence({
      set,
      baseDir: folder,
      isForeign: false,
      files,
      process: processes,
    });

    const { stdout } = await (await evidence.filesystem("s")).runVerifier({ command: ["pwd"] });

    expect(stdout.startsWith(realpathSync(tmpdir()))).toBe(true);
    expect(existsSync(stdout.trim())).toBe(false);
  });
});
