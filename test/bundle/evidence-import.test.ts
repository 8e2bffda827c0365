import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

import type { WalkEntry } from "../../packages/assay/src/contracts/files.ts";
import { AssayError } from "../../packages/assay/src/errors/assay-error.ts";
import { nodeFileStore } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { asNobody } from "../platform/unprivileged.ts";
import { defineTool, itNeeds } from "../support/tools.ts";
import {
  canary,
  descriptor,
  entriesBelow,
  evidence,
  folder,
  type ImportKitOptions,
  importKit,
} from "./import-kit.ts";
import "../platform/real-processes.ts";

defineTool("root", () => (process.geteuid?.() === 0 ? null : "devices are made by root alone"));

function makeFile(path: string, content: string | Uint8Array = "x"): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** A kit with a workspace, and the import of it as `final_state`. */
function workspaceKit(options: ImportKitOptions = {}) {
  const kit = importKit(options);
  const workspace = join(kit.scratch, "workspace");
  mkdirSync(workspace, { recursive: true });
  const set = evidence({ final_state: descriptor({ ref: workspace, format: "dir" }) });
  return { ...kit, workspace, importWorkspace: () => kit.import(set) };
}

describe("importing a folder of evidence", () => {
  it("stores every file with its bytes, one row each, and refers to it relative to the bundle", async () => {
    const { workspace, bundle, importWorkspace } = workspaceKit();
    makeFile(join(workspace, "src/a.txt"), "alpha");
    makeFile(join(workspace, "b.json"), "{}");
    makeFile(join(workspace, "empty"), "");
    mkdirSync(join(workspace, "nothing/here"), { recursive: true });

    const stored = await importWorkspace();

    expect(stored.of("final_state").ref).toBe("evidence/000000-task/trial/final_state");
    expect(stored.text("final_state", "src/a.txt")).toBe("alpha");
    expect(existsSync(stored.path("final_state", "nothing/here"))).toBe(true);
    expect(stored.rows.map(({ path }) => path)).toEqual(entriesBelow(bundle));
    expect(stored.row("src/a.txt")).toMatchObject({
      taskId: "task",
      trialId: "trial",
      sizeBytes: 5,
      mediaType: "text/plain",
      redactions: 0,
      isTruncated: false,
      isWithheld: false,
    });
    expect(stored.row("b.json").mediaType).toBe("application/json");
    expect(stored.disagreements()).toEqual([]);
    expect(stored.of("final_state").metadata).toEqual({});
  });

  it("keeps what the owner may execute, or a verifier could not run it", async () => {
    const { workspace, importWorkspace } = workspaceKit();
    makeFile(join(workspace, "run.sh"), "#!/bin/sh\nexit 0\n");
    makeFile(join(workspace, "plain.sh"), "#!/bin/sh\nexit 0\n");
    chmodSync(join(workspace, "run.sh"), 0o755);

    const stored = await importWorkspace();

    execFileSync(stored.path("final_state", "run.sh"));
    expect(lstatSync(stored.path("final_state", "run.sh")).mode & 0o777).toBe(0o700);
    expect(lstatSync(stored.path("final_state", "plain.sh")).mode & 0o777).toBe(0o600);
    expect(stored.row("run.sh").isExecutable).toBe(true);
    expect(stored.row("plain.sh").isExecutable).toBe(false);
  });

  it("syncs every directory up to the bundle, a directory before the one that holds it", async () => {
    const { workspace, bundle, synced, importWorkspace } = workspaceKit();
    makeFile(join(workspace, "deep/er/file"));

    await importWorkspace();

    const state = "evidence/000000-task/trial/final_state";
    expect(synced).toEqual(
      [
        `${state}/deep/er`,
        `${state}/deep`,
        state,
        dirname(state),
        "evidence/000000-task",
        "evidence",
        "",
      ].map((path) => join(bundle, path)),
    );
  });

  it("imports a folder once when several descriptors are about it", async () => {
    const { scratch, import: importSet } = importKit();
    makeFile(join(scratch, "workspace/file"), "once");
    const ref = join(scratch, "workspace");

    const stored = await importSet(
      evidence({
        final_state: descriptor({ ref, metadata: { role: "final_state" } }),
        workspace: descriptor({ ref: `${ref}/`, metadata: { role: "workspace" } }),
        again: descriptor({ ref: join(scratch, "other/../workspace") }),
      }),
    );

    expect(stored.rows).toHaveLength(1);
    expect(stored.of("workspace").ref).toBe(stored.of("final_state").ref);
    expect(stored.of("again").ref).toBe(stored.of("final_state").ref);
    expect(stored.of("workspace").metadata).toEqual({ role: "workspace" });
  });
});

describe("evidence that lies in a folder of evidence before it", () => {
  it("is stored once, and found where the folder is", async () => {
    const { scratch, bundle, import: importSet } = importKit();
    makeFile(join(scratch, "trial/agent/log.txt"), "said");
    makeFile(join(scratch, "trial", canary.replace("/", ""), "x"));
    makeFile(join(scratch, "trial/result.json"), "{}");

    const stored = await importSet(
      evidence({
        all: descriptor({ ref: join(scratch, "trial"), format: "dir" }),
        logs: descriptor({ kind: "logs", ref: join(scratch, "trial/agent"), format: "dir" }),
        "log:log.txt": descriptor({ kind: "logs", ref: join(scratch, "trial/agent/log.txt") }),
        result: descriptor({ kind: "json", ref: join(scratch, "trial/result.json") }),
        missing: descriptor({ kind: "json", ref: join(scratch, "trial/none.json") }),
      }),
    );

    expect(stored.text("log:log.txt")).toBe("said");
    expect(stored.path("logs")).toBe(join(stored.path("all"), "agent"));
    expect(stored.path("result")).toBe(join(stored.path("all"), "result.json"));
    expect(stored.of("missing")).toMatchObject({ ref: null, data: { unavailable: "missing" } });
    expect(stored.rows.map(({ path }) => path)).toEqual(entriesBelow(bundle));
    expect(stored.rows).toHaveLength(3);
  });

  it("is looked for by itself where the folder left it out", async () => {
    const { scratch, import: importSet } = importKit({ limits: { depth: 1 } });
    makeFile(join(scratch, "trial/deep/er/log.txt"), "said");

    const stored = await importSet(
      evidence({
        all: descriptor({ ref: join(scratch, "trial"), format: "dir" }),
        log: descriptor({ kind: "logs", ref: join(scratch, "trial/deep/er/log.txt") }),
      }),
    );

    expect(stored.text("log")).toBe("said");
  });
});

describe("what an agent leaves in place of a file", () => {
  it("is not followed and counted: links out, loops, FIFOs, sockets", async () => {
    const { workspace, root, importWorkspace } = workspaceKit();
    makeFile(join(root, "outside/secret.txt"), "outside");
    symlinkSync(join(root, "outside"), join(workspace, "out-folder"));
    symlinkSync("../../outside/secret.txt", join(workspace, "out-file"));
    symlinkSync("/etc/passwd", join(workspace, "passwd"));
    symlinkSync("sub/../../x", join(workspace, "tricky"));
    execFileSync("mkfifo", [join(workspace, "fifo")]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(workspace, "socket"), resolve));
    onTestFinished(() => void server.close());
    makeFile(join(workspace, "kept"));

    const stored = await importWorkspace();

    expect(stored.rows.map(({ path }) => path)).toEqual([
      "evidence/000000-task/trial/final_state/kept",
    ]);
    expect(stored.of("final_state").metadata).toEqual({ omitted: { link: 4, special_file: 2 } });
    expect(stored.disagreements()).toEqual([]);
  });

  itNeeds("root", "a device is not read", async () => {
    const { workspace, importWorkspace } = workspaceKit();
    execFileSync("mknod", [join(workspace, "zero"), "c", "1", "5"]);

    const stored = await importWorkspace();

    expect(stored.rows).toEqual([]);
    expect(stored.of("final_state").metadata).toEqual({ omitted: { special_file: 1 } });
  });

  it("a link that cannot lead out is kept as a link, with a row about its text", async () => {
    const { workspace, importWorkspace } = workspaceKit();
    makeFile(join(workspace, "lib/real.txt"), "real");
    symlinkSync("lib/real.txt", join(workspace, "same.txt"));
    symlinkSync("../lib", join(workspace, "lib/self"));
    symlinkSync("nowhere", join(workspace, "dangling"));
    symlinkSync("loop", join(workspace, "loop"));

    const stored = await importWorkspace();

    expect(readlinkSync(stored.path("final_state", "same.txt"))).toBe("lib/real.txt");
    expect(stored.text("final_state", "same.txt")).toBe("real");
    expect(readlinkSync(stored.path("final_state", "lib/self"))).toBe("../lib");
    expect(readlinkSync(stored.path("final_state", "dangling"))).toBe("nowhere");
    expect(readlinkSync(stored.path("final_state", "loop"))).toBe("loop");
    expect(stored.row("same.txt")).toMatchObject({
      mediaType: "inode/symlink",
      sizeBytes: "lib/real.txt".length,
    });
    expect(stored.of("final_state").metadata).toEqual({});
    expect(stored.disagreements()).toEqual([]);
  });

  it.each([
    { target: "/abs", isKept: false },
    { target: "..", isKept: false },
    { target: "../sibling", isKept: false },
    { target: "a/../../b", isKept: false },
    { target: "a/..", isKept: false },
    { target: "a//b", isKept: true },
    { target: "./a", isKept: true },
    { target: "...", isKept: true },
    { target: "..a", isKept: true },
  ])("a link to $target at the top is kept: $isKept", async ({ target, isKept }) => {
    const { workspace, importWorkspace } = workspaceKit();
    symlinkSync(target, join(workspace, "link"));

    const stored = await importWorkspace();

    expect(stored.rows.length === 1).toBe(isKept);
  });

  it("a folder that was removed, or replaced by something else, is an empty folder that says so", async () => {
    const { scratch, root, import: importSet } = importKit();
    makeFile(join(root, "outside/file"));
    makeFile(join(scratch, "file"));
    symlinkSync(join(root, "outside"), join(scratch, "link"));
    const of = (name: string) => descriptor({ ref: join(scratch, name), format: "dir" });

    const stored = await importSet(
      evidence({ gone: of("gone"), link: of("link"), file: of("file"), below: of("file/below") }),
    );

    for (const [name, unavailable] of [
      ["gone", "missing"],
      ["link", "link"],
      ["file", "file"],
      ["below", "missing"],
    ] as const) {
      expect(readdirSync(stored.path(name))).toEqual([]);
      expect(stored.of(name).metadata).toEqual({ unavailable });
    }
    expect(stored.rows).toEqual([]);
  });

  it("a folder on the way that became a link is not followed", async () => {
    const { scratch, root, import: importSet } = importKit();
    makeFile(join(root, "outside/workspace/file"));
    makeFile(join(root, "outside/log.txt"));
    mkdirSync(scratch, { recursive: true });
    symlinkSync(join(root, "outside"), join(scratch, "attempt"));

    const stored = await importSet(
      evidence({
        final_state: descriptor({ ref: join(scratch, "attempt/workspace") }),
        log: descriptor({ kind: "logs", ref: join(scratch, "attempt/log.txt") }),
      }),
    );

    expect(stored.rows).toEqual([]);
    expect(stored.of("final_state").metadata).toEqual({ omitted: { link: 1 } });
    expect(stored.of("log")).toMatchObject({ ref: null, data: { unavailable: "link" } });
  });

  const swaps: Record<string, (entry: WalkEntry, workspace: string, outside: string) => void> = {
    "a file replaced by a link": ({ path }, workspace, outside) => {
      if (path !== "folder/file") return;
      rmSync(join(workspace, path));
      symlinkSync(join(outside, "file"), join(workspace, path));
    },
    "its folder replaced by a link": ({ path }, workspace, outside) => {
      if (path !== "folder/file") return;
      renameSync(join(workspace, "folder"), join(workspace, "moved"));
      symlinkSync(outside, join(workspace, "folder"));
    },
    "the workspace replaced by a link": ({ path }, workspace, outside) => {
      if (path !== "folder") return;
      renameSync(workspace, `${workspace}-moved`);
      symlinkSync(outside, workspace);
    },
    "a file that vanishes": ({ path }, workspace) => {
      if (path === "folder/file") rmSync(join(workspace, path));
    },
    "a file replaced by a FIFO": ({ path }, workspace) => {
      if (path !== "folder/file") return;
      rmSync(join(workspace, path));
      execFileSync("mkfifo", [join(workspace, path)]);
    },
  };

  it.each(Object.entries(swaps))(
    "between being listed and being read (%s) shows nothing from outside, and the rest is imported",
    async (_what, swap) => {
      const root = folder();
      const outside = join(root, "outside");
      makeFile(join(outside, "file"), "theirs");
      makeFile(join(outside, "folder/file"), "theirs");
      const { workspace, importWorkspace } = workspaceKit({
        files: {
          walk: async function* (path, options) {
            for await (const entry of nodeFileStore.walk(path, options)) {
              swap(entry, workspace, outside);
              yield entry;
            }
          },
        },
      });
      makeFile(join(workspace, "folder/file"), "mine");
      makeFile(join(workspace, "zz"), "rest");

      const stored = await importWorkspace();

      const texts = stored.rows.map(({ path }) =>
        readFileSync(join(dirname(workspace), "../bundle", path), "utf8"),
      );
      expect(texts).not.toContain("theirs");
      expect(texts).toContain("rest");
      expect(stored.disagreements()).toEqual([]);
    },
  );

  it("a folder that may not be read is counted, and its neighbours are imported", async () => {
    const { workspace, root, importWorkspace } = workspaceKit();
    makeFile(join(workspace, "closed/file"));
    makeFile(join(workspace, "open/file"));
    makeFile(join(workspace, "unreadable"));
    chmodSync(join(workspace, "closed"), 0o000);
    chmodSync(join(workspace, "unreadable"), 0o000);
    execFileSync("chmod", ["a+rwX", "-R", root]);
    chmodSync(join(workspace, "closed"), 0o000);
    chmodSync(join(workspace, "unreadable"), 0o000);

    const stored = await asNobody(importWorkspace);

    chmodSync(join(workspace, "closed"), 0o700);
    expect(stored.rows.map(({ path }) => path)).toEqual([
      "evidence/000000-task/trial/final_state/open/file",
    ]);
    expect(stored.of("final_state").metadata).toEqual({ omitted: { unreadable: 2 } });
  });
});

describe("the bounds of an import", () => {
  it("a file over the limit is cut, flagged, and its size and digest are those of what is stored", async () => {
    const { workspace, importWorkspace } = workspaceKit({ limits: { fileBytes: 100 } });
    makeFile(join(workspace, "exact"), "e".repeat(100));
    makeFile(join(workspace, "over"), "o".repeat(101));

    const stored = await importWorkspace();

    expect(stored.row("exact")).toMatchObject({ sizeBytes: 100, isTruncated: false });
    expect(stored.row("over")).toMatchObject({ isTruncated: true });
    expect(stored.row("over").sizeBytes).toBeLessThanOrEqual(100);
    expect(stored.disagreements()).toEqual([]);
  });

  it.each([99, 100, 101, 102, 103])(
    "text cut at byte %i ends with a whole character",
    async (fileBytes) => {
      const { workspace, importWorkspace } = workspaceKit({ limits: { fileBytes } });
      makeFile(join(workspace, "text"), "añ€😀".repeat(100));

      const stored = await importWorkspace();

      const text = new TextDecoder("utf-8", { fatal: true }).decode(
        readFileSync(stored.path("final_state", "text")),
      );
      expect("añ€😀".repeat(100).startsWith(text)).toBe(true);
    },
  );

  it("a file that is rewritten while it is imported has the digest of what is stored", async () => {
    const place = { source: "" };
    const { workspace, importWorkspace } = workspaceKit({
      files: {
        writeNew: async (to, chunks, options) => {
          async function* rewritten() {
            for await (const chunk of chunks) {
              writeFileSync(place.source, "new\n".repeat(200_000));
              yield chunk;
            }
          }
          await nodeFileStore.writeNew(to, rewritten(), options);
        },
      },
    });
    place.source = makeFile(join(workspace, "large.txt"), "old\n".repeat(200_000));

    const stored = await importWorkspace();

    const text = stored.text("final_state", "large.txt");
    expect(text.includes("old") && text.includes("new")).toBe(true);
    expect(stored.disagreements()).toEqual([]);
  });

  it("a file that has grown since it was looked at counts with what is stored of it", async () => {
    const place = { source: "" };
    const { scratch, import: importSet } = importKit({
      limits: { trialBytes: 250 },
      files: {
        writeNew: async (to, chunks, options) => {
          if (to.endsWith("grows")) writeFileSync(place.source, "x".repeat(200));
          await nodeFileStore.writeNew(to, chunks, options);
        },
      },
    });
    place.source = makeFile(join(scratch, "first/grows"));
    makeFile(join(scratch, "second/other"), "y".repeat(100));

    const stored = await importSet(
      evidence({
        first: descriptor({ ref: join(scratch, "first") }),
        second: descriptor({ ref: join(scratch, "second") }),
      }),
    );

    expect(stored.row("grows")).toMatchObject({ sizeBytes: 200, isTruncated: false });
    expect(stored.row("other")).toMatchObject({ sizeBytes: 50, isTruncated: true });
  });

  it("a secret that the cut goes through leaves none of its parts behind", async () => {
    const start = "x".repeat(5000);
    for (const fileBytes of [5000, 5001, 5004, 5010, 5000 + canary.length - 1]) {
      const { workspace, importWorkspace } = workspaceKit({ limits: { fileBytes } });
      makeFile(join(workspace, "log"), `${start}${canary} and more`);
      makeFile(join(workspace, "short"), `${start}${canary}`);

      const stored = await importWorkspace();

      for (const name of ["log", "short"]) {
        expect(stored.row(name)).toMatchObject({
          isTruncated: true,
          sizeBytes: 5000 + (fileBytes === 5000 ? 0 : 10),
        });
        expect(stored.text("final_state", name)).toBe(
          fileBytes === 5000 ? start : `${start}<redacted>`,
        );
      }
    }
  });

  it("a sparse file of 10 GB is read up to the limit only", async () => {
    let readBytes = 0;
    const { workspace, importWorkspace } = workspaceKit({
      limits: { fileBytes: 1024 * 1024 },
      files: {
        walk: async function* (path, options) {
          for await (const entry of nodeFileStore.walk(path, options)) {
            const { path: at, kind, sizeBytes, isExecutable } = entry;
            const open = async () => {
              const file = await entry.open();
              async function* counted() {
                for await (const chunk of file.readChunks()) {
                  readBytes += chunk.length;
                  yield chunk;
                }
              }
              return { readChunks: counted, close: () => file.close() };
            };
            const linkTarget = () => entry.linkTarget();
            yield { path: at, kind, sizeBytes, isExecutable, open, linkTarget };
          }
        },
      },
    });
    const file = openSync(join(workspace, "sparse"), "w");
    ftruncateSync(file, 10 * 1024 ** 3);
    closeSync(file);

    const stored = await importWorkspace();

    expect(stored.row("sparse")).toMatchObject({ sizeBytes: 1024 * 1024, isTruncated: true });
    expect(readBytes).toBeLessThan(2 * 1024 * 1024);
    expect(stored.disagreements()).toEqual([]);
  });

  it("files, folders and links are counted together, over all evidence of the trial", async () => {
    const { scratch, import: importSet } = importKit({ limits: { trialEntries: 6 } });
    for (let index = 0; index < 5; index += 1) makeFile(join(scratch, `a/f${index}`));
    makeFile(join(scratch, "b/folder/file"));

    const stored = await importSet(
      evidence({
        a: descriptor({ ref: join(scratch, "a") }),
        b: descriptor({ ref: join(scratch, "b") }),
      }),
    );

    expect(stored.rows).toHaveLength(5);
    expect(stored.of("a").metadata).toEqual({});
    expect(stored.of("b").metadata).toEqual({
      omitted: { over_entry_count: 2, in_omitted_folder: 1 },
    });
  });

  it("a folder of more entries than are looked at says so", async () => {
    const { workspace, importWorkspace } = workspaceKit({
      limits: { trialEntries: 3, visitedEntries: 6 },
    });
    for (let index = 0; index < 50; index += 1) makeFile(join(workspace, `f${index}`));

    const stored = await importWorkspace();

    expect(stored.rows).toHaveLength(2);
    expect(stored.of("final_state").metadata).toEqual({
      omitted: { over_entry_count: 4, not_visited: 1 },
    });
  });

  it("the bytes of a trial are bounded over all its files", async () => {
    const { workspace, importWorkspace } = workspaceKit({ limits: { trialBytes: 250 } });
    for (const name of ["a", "b", "c", "d"]) makeFile(join(workspace, name), "x".repeat(100));

    const stored = await importWorkspace();

    expect(stored.rows.map(({ sizeBytes, isTruncated }) => [sizeBytes, isTruncated])).toEqual([
      [100, false],
      [100, false],
      [50, true],
    ]);
    expect(stored.of("final_state").metadata).toEqual({ omitted: { over_total_size: 1 } });
  });

  it("a tree too deep is cut, with few files open at once", async () => {
    const { workspace, importWorkspace } = workspaceKit();
    const dig =
      "const fs = require('node:fs'); for (let i = 0; i < 1100; i += 1) { fs.mkdirSync('dddd'); process.chdir('dddd'); }";
    execFileSync(process.execPath, ["-e", `${dig} fs.writeFileSync('file', 'bottom');`], {
      cwd: workspace,
    });
    makeFile(join(workspace, "z"), "top");

    const stored = await importWorkspace();

    expect(stored.text("final_state", "z")).toBe("top");
    expect(stored.of("final_state").metadata).toEqual({ omitted: { too_deep: 1 } });
  });
});

describe("names of evidence", () => {
  const odd = [
    "a\nb",
    'quo"te',
    "sp ace",
    "tab\t",
    "-rf",
    "..hidden",
    "ünïcödé",
    "n".repeat(255),
    "back\\slash",
    "$(rm)",
    "*",
  ];

  it("odd names are kept as they are", async () => {
    const { workspace, importWorkspace } = workspaceKit();
    for (const name of odd) makeFile(join(workspace, name), name);

    const stored = await importWorkspace();

    expect(readdirSync(stored.path("final_state")).sort()).toEqual([...odd].sort());
    for (const name of odd) expect(stored.text("final_state", name)).toBe(name);
    expect(stored.disagreements()).toEqual([]);
  });

  it("names that are no UTF-8 are imported under names that are, each its own", async () => {
    const { workspace, importWorkspace } = workspaceKit();
    for (const byte of [0xff, 0xfe]) {
      const name = Buffer.concat([Buffer.from(`${workspace}/n`), Buffer.from([byte])]);
      mkdirSync(name);
      writeFileSync(Buffer.concat([name, Buffer.from("/file")]), `byte ${byte}`);
    }
    symlinkSync(Buffer.from([0x61, 0xff]), join(workspace, "to-no-text"));

    const stored = await importWorkspace();

    expect(stored.text("final_state", "n\uFFFD/file")).toBe("byte 254");
    expect(stored.text("final_state", "n\uFFFD-2/file")).toBe("byte 255");
    expect(stored.of("final_state").metadata).toEqual({ omitted: { link: 1 } });
    expect(stored.disagreements()).toEqual([]);
  });

  const secretName = "Wallaby+77%2Fsecret=value";

  it("secrets are taken out of names, and both of two names that become one are kept", async () => {
    const { workspace, importWorkspace, bundle } = workspaceKit();
    makeFile(join(workspace, `${secretName}.txt`), "one");
    makeFile(join(workspace, `${encodeURIComponent(canary)}.txt`), "two");
    makeFile(join(workspace, "<redacted>.txt"), "three");
    makeFile(join(workspace, `dir-${secretName}/inner`), "four");
    symlinkSync(`dir-${secretName}/inner`, join(workspace, "link"));

    const stored = await importWorkspace();

    const contents = stored.rows
      .filter(({ path }) => path.includes(".txt"))
      .map(({ path }) => readFileSync(join(bundle, path), "utf8"));
    expect(contents.sort()).toEqual(["one", "three", "two"]);
    expect(stored.of("final_state").metadata).toEqual({ omitted: { link: 1 } });
    expect(JSON.stringify(stored.rows)).not.toContain("Wallaby");
    expect(entriesBelow(bundle).join()).not.toContain("Wallaby");
    expect(stored.disagreements()).toEqual([]);
  });

  it.each([
    { what: "is a secret with a slash in it", target: canary },
    { what: "leads on from a secret", target: `./a/${canary}/file` },
    { what: "holds a secret in base64", target: `to/${Buffer.from(canary).toString("base64")}` },
    { what: "ends in a piece of a secret that was cut", target: `to/${canary.slice(0, 12)}…` },
  ])("a link whose text $what is left out, and no digest of it is kept", async ({ target }) => {
    const { workspace, importWorkspace, bundle } = workspaceKit();
    makeFile(join(workspace, "kept"));
    symlinkSync(target, join(workspace, "link"));

    const stored = await importWorkspace();

    expect(stored.rows.map(({ path }) => path.split("/").at(-1))).toEqual(["kept"]);
    expect(stored.of("final_state").metadata).toEqual({ omitted: { link: 1 } });
    expect(entriesBelow(bundle).some((entry) => entry.endsWith("link"))).toBe(false);
  });

  it("a secret that folder and name spell together is taken out", async () => {
    const { workspace, importWorkspace, bundle } = workspaceKit();
    makeFile(join(workspace, canary), "spelt");

    const stored = await importWorkspace();

    expect(stored.rows).toHaveLength(1);
    expect(entriesBelow(bundle).join()).not.toContain(canary);
    expect(stored.disagreements()).toEqual([]);
  });

  it("a name that redaction makes too long is cut", async () => {
    const { workspace, importWorkspace } = workspaceKit();
    const bytes = Buffer.concat([Buffer.from(`${workspace}/`), Buffer.alloc(255, 0xff)]);
    writeFileSync(bytes, "kept");

    const stored = await importWorkspace();

    expect(stored.rows).toHaveLength(1);
    expect(stored.disagreements()).toEqual([]);
  });

  it.each(["__proto__", "a/b", "", "constructor", "../../up", "CON", "A", "é".repeat(200)])(
    "a descriptor called %j gets a folder of its own and keeps its name",
    async (name) => {
      const { scratch, bundle, import: importSet } = importKit();
      makeFile(join(scratch, "w/file"), "content");
      const descriptors = Object.fromEntries([
        [name, descriptor({ ref: join(scratch, "w") })],
        ["a", descriptor({ ref: join(scratch, "w/file"), kind: "logs" })],
      ]);

      const stored = await importSet(evidence(descriptors));

      expect(Object.keys(stored.set.descriptors)).toEqual([name, "a"]);
      const ref = Object.getOwnPropertyDescriptor(stored.set.descriptors, name)?.value.ref;
      expect(ref).toMatch(/^evidence\/000000-task\/trial\/[^/]+$/);
      expect(readFileSync(join(bundle, ref, "file"), "utf8")).toBe("content");
      expect(ref).not.toBe(stored.of("a").ref);
      expect(stored.disagreements()).toEqual([]);
    },
  );

  it("no two descriptors get paths that differ in case alone, nor the folder of earlier attempts", async () => {
    const { scratch, import: importSet } = importKit();
    makeFile(join(scratch, "one.json"), "1");
    makeFile(join(scratch, "two.json"), "2");
    mkdirSync(join(scratch, "dir"));
    const file = (name: string) => descriptor({ kind: "trace", ref: join(scratch, name) });

    const stored = await importSet(
      evidence({
        trace: file("one.json"),
        "trace.json": file("two.json"),
        attempts: descriptor({ ref: join(scratch, "dir") }),
      }),
    );

    const refs = Object.values(stored.set.descriptors).map(({ ref }) => ref ?? "");
    expect(new Set(refs.map((ref) => ref.toLowerCase())).size).toBe(3);
    expect(refs.map((ref) => ref.split("/").at(-1))).not.toContain("attempts");
    expect(stored.text("trace")).toBe("1");
    expect(stored.text("trace.json")).toBe("2");
  });

  it("two descriptors whose names become one are both kept", async () => {
    const { scratch, import: importSet } = importKit();
    makeFile(join(scratch, "one"), "1");
    makeFile(join(scratch, "two"), "2");
    const file = (name: string) => descriptor({ kind: "logs", ref: join(scratch, name) });

    const stored = await importSet(
      evidence({ [canary]: file("one"), [encodeURIComponent(canary)]: file("two") }),
    );

    expect(Object.keys(stored.set.descriptors)).toEqual(["<redacted>", "<redacted>-2"]);
    expect(stored.text("<redacted>")).toBe("1");
    expect(stored.text("<redacted>-2")).toBe("2");
  });

  it("an extension is kept when it is a plain one without a secret", async () => {
    const { scratch, import: importSet } = importKit();
    for (const name of ["a.json", "b.we ird", "c.Wallaby+77%2Fsecret=value"])
      makeFile(join(scratch, name));
    const file = (name: string) => descriptor({ kind: "trace", ref: join(scratch, name) });

    const stored = await importSet(
      evidence({ a: file("a.json"), b: file("b.we ird"), c: file("c.Wallaby+77%2Fsecret=value") }),
    );

    const names = Object.values(stored.set.descriptors).map(({ ref }) => ref?.split("/").at(-1));
    expect(names).toEqual(["a.json", "b", "c"]);
  });
});

describe("secrets in evidence", () => {
  it("are found wherever the chunks of a file end, and counted", async () => {
    const { workspace, importWorkspace } = workspaceKit();
    const chunk = 128 * 1024;
    for (const before of [chunk - 30, chunk - canary.length, chunk - 5, chunk - 1, chunk])
      makeFile(join(workspace, `at-${before}`), `${"y".repeat(before)}${canary} ${canary} end`);

    const stored = await importWorkspace();

    for (const row of stored.rows) {
      expect(row.redactions).toBe(2);
      const before = Number(row.path.split("-").at(-1));
      expect(stored.text("final_state", `at-${before}`)).toBe(
        `${"y".repeat(before)}<redacted> <redacted> end`,
      );
    }
    expect(stored.disagreements()).toEqual([]);
  });

  it("a binary file that holds one is withheld: a note with its size takes its place", async () => {
    const { workspace, importWorkspace } = workspaceKit();
    const bytes = Buffer.concat([Buffer.alloc(20_000, 1), Buffer.from(canary), Buffer.alloc(3)]);
    makeFile(join(workspace, "core.bin"), bytes);
    makeFile(join(workspace, "clean.bin"), Buffer.from([0, 1, 2, 255]));
    chmodSync(join(workspace, "core.bin"), 0o755);

    const stored = await importWorkspace();

    expect(stored.text("final_state", "core.bin")).toBe(
      `Withheld by Assay: a binary file of ${bytes.length} bytes that held a secret.\n`,
    );
    expect(stored.row("core.bin")).toMatchObject({
      isWithheld: true,
      redactions: 1,
      mediaType: "text/plain",
      isExecutable: false,
    });
    expect(readFileSync(stored.path("final_state", "clean.bin"))).toEqual(
      Buffer.from([0, 1, 2, 255]),
    );
    expect(stored.row("clean.bin").mediaType).toBe("application/octet-stream");
    expect(stored.disagreements()).toEqual([]);
  });

  it("are taken out of the descriptors themselves, and credentials out of addresses", async () => {
    const { import: importSet } = importKit();

    const stored = await importSet({
      descriptors: {
        note: descriptor({
          kind: "error",
          data: { text: `it was ${canary}` },
          description: canary,
          metadata: { api_key: "k-123", max_tokens: 5 },
        }),
        remote: descriptor({ ref: "https://user:hunter22222@host/logs?x=1" }),
      },
      metadata: { password: "p", by: canary },
    });

    expect(stored.of("note")).toMatchObject({
      data: { text: "it was <redacted>" },
      description: "<redacted>",
      metadata: { api_key: "k-123", max_tokens: 5 },
    });
    expect(stored.of("remote").ref).toBe("https://<redacted>@host/logs?x=1");
    expect(stored.set.metadata).toEqual({ password: "p", by: "<redacted>" });
  });
});

describe("refs that are not imported", () => {
  it.each(["/etc/passwd", "/etc", "s3://bucket/key", "file:///etc/passwd", "https://host/x", ""])(
    "%j stays as it is, and nothing there is opened",
    async (ref) => {
      const touched: string[] = [];
      const { import: importSet } = importKit({
        files: {
          stat: async (path) => {
            touched.push(path);
            return await nodeFileStore.stat(path);
          },
        },
      });

      const stored = await importSet(evidence({ there: descriptor({ ref }) }));

      expect(stored.of("there").ref).toBe(ref);
      expect(stored.rows).toEqual([]);
      expect(touched).toEqual([]);
    },
  );

  it.each([
    ["evidence/000000-t0/other/file", "missing"],
    ["relative\\path", "missing"],
    ["../outside", "outside_of_bundle"],
    ["evidence/../../outside", "outside_of_bundle"],
    ["a\\..\\..\\outside", "outside_of_bundle"],
    ["nul\0byte", "outside_of_bundle"],
  ])("%j would be one into this bundle: nothing is left of it but why", async (ref, why) => {
    const { import: importSet } = importKit();

    const stored = await importSet(
      evidence({ there: descriptor({ ref, metadata: { role: "x" } }) }),
    );

    expect(stored.of("there")).toMatchObject({
      ref: null,
      data: { unavailable: why },
      metadata: { role: "x", unavailable: why },
    });
    expect(stored.rows).toEqual([]);
  });

  it("neither the scratch directory itself nor what lies beside it is imported", async () => {
    const { scratch, import: importSet } = importKit();
    makeFile(join(scratch, "file"));
    makeFile(join(`${scratch}-other`, "file"));
    const refs = [
      scratch,
      `${scratch}-other`,
      join(scratch, "../scratch-other"),
      join(scratch, ".."),
    ];

    for (const ref of refs) {
      const stored = await importSet(evidence({ there: descriptor({ ref }) }));
      expect(stored.of("there").ref).toBe(ref);
      expect(stored.rows).toEqual([]);
    }
  });

  it("a file that is not there is named as missing, and inline data is kept", async () => {
    const { scratch, import: importSet } = importKit();
    mkdirSync(scratch);
    const ref = join(scratch, "trace.json");

    const stored = await importSet(
      evidence({
        trace: descriptor({ kind: "trace", ref }),
        both: descriptor({ kind: "trace", ref: join(scratch, "x\0y"), data: [1] }),
      }),
    );

    expect(stored.of("trace")).toMatchObject({
      ref: null,
      data: { unavailable: "missing" },
      metadata: { unavailable: "missing" },
    });
    expect(stored.of("both")).toMatchObject({ ref: null, data: [1] });
  });
});

it("a bundle that cannot be written ends the import with the error of the disk", async () => {
  const full = new AssayError("ASSAY_STORE_FAILED", "no space", { data: { systemCode: "ENOSPC" } });
  const { workspace, importWorkspace } = workspaceKit({
    files: { writeNew: () => Promise.reject(full) },
  });
  makeFile(join(workspace, "file"));

  await expect(importWorkspace()).rejects.toBe(full);
});
