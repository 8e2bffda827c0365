import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { nodeFileStore as files } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { defaultSeedHandlers } from "../../packages/assay/src/runners/define/seed-handlers.ts";
import { parseSeeds, writeSeeds } from "../../packages/assay/src/runners/define/seeds.ts";
import { standardEvidenceDescriptors } from "../../packages/assay/src/runners/define/standard-evidence.ts";

let folder: string;
let workspace: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-seeds-"));
  workspace = join(folder, "workspace");
  mkdirSync(workspace);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const parse = (entries: unknown) => parseSeeds(entries, { baseDir: folder, files });
const seed = async (entries: unknown) => writeSeeds(workspace, await parse(entries), files);
const inWorkspace = (path: string) => readFileSync(join(workspace, path));

describe("workspace seeds", () => {
  it("writes texts and typed entries, and lists them in the order of the map", async () => {
    const written = await seed({
      "b.txt": { kind: "inline", content: "typed" },
      "deep/er/a.txt": "bare",
    });

    expect(written).toEqual(["b.txt", "deep/er/a.txt"]);
    expect(inWorkspace("b.txt").toString()).toBe("typed");
    expect(inWorkspace("deep/er/a.txt").toString()).toBe("bare");
  });

  it("writes the bytes of a base64 entry", async () => {
    const bytes = Buffer.from([0x00, 0x01, 0x62, 0x69, 0x6e, 0xff]);

    await seed({ blob: { kind: "inline", content: bytes.toString("base64"), encoding: "base64" } });

    expect(inWorkspace("blob").equals(bytes)).toBe(true);
  });

  it("copies a file of the author's machine, relative to the suite, through a link too", async () => {
    writeFileSync(join(folder, "data.bin"), Buffer.from([1, 2, 3]));
    symlinkSync("data.bin", join(folder, "link.bin"));

    await seed({
      a: { kind: "path", path: "data.bin" },
      b: { kind: "path", path: join(folder, "link.bin") },
    });

    expect([...inWorkspace("a")]).toEqual([1, 2, 3]);
    expect([...inWorkspace("b")]).toEqual([1, 2, 3]);
  });

  it("writes private files", async () => {
    await seed({ "a.txt": "x" });

    expect(statSync(join(workspace, "a.txt")).mode & 0o777).toBe(0o600);
  });

  it.each([null, undefined, [], "text", 5])("takes %j for no seeds at all", async (entries) => {
    expect(await seed(entries)).toEqual([]);
  });

  it.each<[string, unknown, RegExp]>([
    ["a number", { bad: 42 }, /inputs\.files\.bad: must be a string or an object, not a number/],
    ["null", { bad: null }, /not null/],
    ["an object without a kind", { bad: {} }, /needs a `kind`/],
    ["a kind that is no string", { bad: { kind: 7 } }, /needs a `kind`/],
    [
      "an unknown kind",
      { bad: { kind: "url", url: "x" } },
      /no handler registered for seed kind 'url'; known kinds: inline, path/,
    ],
    ["a kind that objects inherit", { bad: { kind: "constructor" } }, /no handler registered/],
    [
      "no base64",
      { bad: { kind: "inline", content: "not base64!!", encoding: "base64" } },
      /base64/,
    ],
    [
      "half a base64 group",
      { bad: { kind: "inline", content: "QQ", encoding: "base64" } },
      /base64/,
    ],
    [
      "an unknown key",
      { bad: { kind: "inline", content: "x", mode: 1 } },
      /invalid inline seed: unknown key "mode"/,
    ],
    ["a missing key", { bad: { kind: "path" } }, /invalid path seed: path/],
    [
      "a missing file",
      { bad: { kind: "path", path: "nowhere.txt" } },
      /"nowhere\.txt" could not be read/,
    ],
    [
      "a directory",
      { bad: { kind: "path", path: "." } },
      /"\." could not be read: it is no regular file/,
    ],
    ["a path that goes up", { "../escape.txt": "x" }, /escapes the workspace/],
    ["a path that goes up and down", { "a/../../workspace2/x": "x" }, /escapes the workspace/],
    ["an absolute path", { "/tmp/escape.txt": "x" }, /escapes the workspace/],
    ["a path of Windows", { "C:/x": "x" }, /escapes the workspace/],
    ["a path with backslashes", { "..\\x": "x" }, /backslash/],
    ["a path with NUL", { "a\0b": "x" }, /NUL/],
    ["the workspace itself", { ".": "x" }, /names no file/],
    ["an empty path", { "": "x" }, /names no file/],
    ["a folder", { "a/": "x" }, /names no file/],
    ["one file twice", { "a.txt": "x", "./a.txt": "y" }, /another entry also writes "a\.txt"/],
    ["a file that is also a folder", { a: "x", "a/b": "y" }, /another entry makes "a" a file/],
  ])("refuses %s and writes nothing", async (_what, entries, message) => {
    const problem = seed({ "first.txt": "good", ...(entries as object) });

    await expect(problem).rejects.toThrow(message);
    await expect(problem).rejects.toMatchObject({ code: "ASSAY_SEED_INVALID" });
    expect(existsSync(join(workspace, "first.txt"))).toBe(false);
  });

  it("names the entry in the data of the error", async () => {
    await expect(parse({ "odd name.txt": 1 })).rejects.toMatchObject({
      data: { path: "odd name.txt" },
      message: expect.stringContaining('inputs.files["odd name.txt"]') as string,
    });
  });

  it.each(["out/x.txt", "final.txt"])(
    "refuses %s when a link there leads out of the workspace",
    async (path) => {
      const outside = join(folder, "outside");
      mkdirSync(outside);
      writeFileSync(join(outside, "target.txt"), "old");
      symlinkSync(outside, join(workspace, "out"));
      symlinkSync(join(outside, "target.txt"), join(workspace, "final.txt"));

      await expect(seed({ "first.txt": "good", [path]: "bad" })).rejects.toThrow(
        /escapes the workspace/,
      );
      expect(existsSync(join(workspace, "first.txt"))).toBe(false);
      expect(readFileSync(join(outside, "target.txt"), "utf8")).toBe("old");
      expect(existsSync(join(outside, "x.txt"))).toBe(false);
    },
  );

  it("replaces a file that is already there", async () => {
    writeFileSync(join(workspace, "a.txt"), "a much longer text");

    await seed({ "a.txt": "new" });

    expect(inWorkspace("a.txt").toString()).toBe("new");
  });

  it("keeps an entry called __proto__ a file like any other", async () => {
    const entries: unknown = JSON.parse('{"__proto__": "text"}');

    expect(await seed(entries)).toEqual(["__proto__"]);
    expect(inWorkspace("__proto__").toString()).toBe("text");
  });

  it("refuses more than 10000 entries", async () => {
    const entries = Object.fromEntries(
      Array.from({ length: 10_001 }, (_, index) => [`f${index}`, ""]),
    );

    await expect(parse(entries)).rejects.toThrow(/10001 entries; at most 10000/);
  });

  it("refuses more than 256 MiB in all without reading them", async () => {
    const half = 129 * 1024 * 1024;
    const huge = async () => ({ sizeBytes: half, open: () => [] });
    const problem = parseSeeds(
      { a: { kind: "huge" }, b: { kind: "huge" } },
      { baseDir: folder, files, seedHandlers: { huge } },
    );

    await expect(problem).rejects.toThrow(/more than 268435456 bytes/);
  });

  it("knows further kinds in one run only", async () => {
    const seedHandlers = {
      ...defaultSeedHandlers,
      upper: async (entry: Readonly<Record<string, unknown>>) => {
        const bytes = Buffer.from(String(entry["text"]).toUpperCase());
        return { sizeBytes: bytes.length, open: () => [bytes] };
      },
    };
    const entries = { a: { kind: "upper", text: "shout" } };

    await writeSeeds(
      workspace,
      await parseSeeds(entries, { baseDir: folder, files, seedHandlers }),
      files,
    );

    expect(inWorkspace("a").toString()).toBe("SHOUT");
    await expect(parse(entries)).rejects.toThrow(/no handler registered/);
  });
});

describe("standard evidence", () => {
  it("names logs and final state always, in the fixed order", async () => {
    const descriptors = await standardEvidenceDescriptors(
      { logsDir: "/l", finalStateDir: "/f" },
      files,
    );

    expect(Object.keys(descriptors)).toEqual(["logs", "final_state"]);
    expect(descriptors["logs"]).toMatchObject({
      kind: "logs",
      ref: "/l",
      format: "dir",
      metadata: {},
    });
    expect(descriptors["final_state"]).toMatchObject({
      kind: "filesystem",
      ref: "/f",
      format: "dir",
      metadata: { role: "final_state" },
    });
  });

  it("names everything it is given", async () => {
    const descriptors = await standardEvidenceDescriptors(
      {
        logsDir: "/l",
        finalStateDir: "/f",
        tracePath: "/t/trajectory.json",
        initialStateRef: "s3://bucket/x",
        verifierLogsDir: workspace,
        primaryLog: "agent.log",
      },
      files,
    );

    expect(Object.keys(descriptors)).toEqual([
      "initial_state",
      "trace",
      "logs",
      "final_state",
      "verifier_logs",
    ]);
    expect(descriptors["initial_state"]).toMatchObject({
      kind: "filesystem",
      ref: "s3://bucket/x",
      metadata: { role: "initial_state" },
    });
    expect(descriptors["logs"]?.metadata).toEqual({ primary_log: "agent.log" });
    expect(descriptors["verifier_logs"]).toMatchObject({
      kind: "logs",
      ref: workspace,
      metadata: { role: "verifier" },
    });
  });

  it.each([
    ["/t/trajectory.json", undefined, "json"],
    ["/t/ATIF-run.json", undefined, "atif"],
    ["/t/run.atif.json", undefined, "atif"],
    ["/atif/run.json", undefined, "json"],
    ["/t/trajectory.json", "otlp", "otlp"],
  ])(
    "gives the trace %s with the format %s the format %s",
    async (tracePath, traceFormat, expected) => {
      const given = {
        logsDir: "/l",
        finalStateDir: "/f",
        tracePath,
        ...(traceFormat !== undefined && { traceFormat }),
      };

      expect((await standardEvidenceDescriptors(given, files))["trace"]).toMatchObject({
        kind: "trace",
        ref: tracePath,
        format: expected,
      });
    },
  );

  it("leaves out what is empty or not there", async () => {
    const descriptors = await standardEvidenceDescriptors(
      {
        logsDir: "/l",
        finalStateDir: "/f",
        tracePath: null,
        initialStateRef: "",
        verifierLogsDir: join(folder, "none"),
      },
      files,
    );

    expect(Object.keys(descriptors)).toEqual(["logs", "final_state"]);
  });
});
