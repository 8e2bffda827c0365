import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import type { OpenFile, WalkEntry } from "../../packages/assay/src/contracts/files.ts";
import { nodeFileStore as files } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { itNeeds } from "../support/tools.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { asNobody } from "./unprivileged.ts";
import "./real-processes.ts";

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

async function textOfEntry(entry: WalkEntry): Promise<string> {
  const file = await entry.open();
  return await textOf(file.readChunks()).finally(() => file.close());
}

describe("an entry of a walk", () => {
  itNeeds(
    "proc",
    "reads its file in the directory that was walked, whatever took its place",
    async () => {
      const root = join(temporaryFolder(), "root");
      mkdirSync(join(root, "folder"), { recursive: true });
      writeFileSync(join(root, "folder/file"), "mine");
      mkdirSync(join(root, "../outside"));
      writeFileSync(join(root, "../outside/file"), "theirs");
      const texts: string[] = [];

      for await (const entry of files.walk(root)) {
        if (entry.kind !== "file") continue;
        renameSync(join(root, "folder"), join(root, "moved"));
        symlinkSync("../outside", join(root, "folder"));
        texts.push(await textOfEntry(entry));
      }

      expect(texts).toEqual(["mine"]);
    },
  );

  it.each([
    { what: "a link", put: (path: string) => symlinkSync("other", path), systemCode: "ELOOP" },
    { what: "a directory", put: (path: string) => mkdirSync(path), systemCode: "EISDIR" },
    { what: "nothing", put: () => {}, systemCode: "ENOENT" },
  ])("refuses $what in place of its file", async ({ put, systemCode }) => {
    const root = temporaryFolder();
    writeFileSync(join(root, "file"), "");
    writeFileSync(join(root, "other"), "");
    const [entry] = await entriesOf(root, (seen) => {
      if (seen.path !== "file") return;
      rmSync(join(root, "file"));
      put(join(root, "file"));
    });

    await expect(entry).rejects.toMatchObject({
      code: "ASSAY_FILE_UNREADABLE",
      data: { path: join(root, "file"), systemCode },
    });
  });

  it("tells where a link leads as it is written, and whether the owner may execute a file", async () => {
    const root = temporaryFolder();
    symlinkSync("../some//where", join(root, "link"));
    symlinkSync(Buffer.from([0x61, 0xff]), join(root, "no-text"));
    writeFileSync(join(root, "plain"), "");
    writeFileSync(join(root, "tool"), "");
    chmodSync(join(root, "tool"), 0o744);
    const links: (string | null)[] = [];
    const executable: boolean[] = [];

    for await (const entry of files.walk(root)) {
      if (entry.kind === "link") links.push(await entry.linkTarget());
      else executable.push(entry.isExecutable);
    }

    expect(links).toEqual(["../some//where", null]);
    expect(executable).toEqual([false, true]);
  });

  itNeeds("proc", "that was opened can be read when the walk has ended", async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, "folder"));
    writeFileSync(join(root, "folder/file"), "content");
    const opened: OpenFile[] = [];
    for await (const entry of files.walk(root))
      if (entry.kind === "file") opened.push(await entry.open());
    rmSync(join(root, "folder"), { recursive: true });

    const [file] = opened;
    expect(await textOf(file?.readChunks() ?? empty())).toBe("content");
    await file?.close();
    await file?.close();
  });

  it("is met though its name is no UTF-8, and can be read", async () => {
    const root = temporaryFolder();
    writeFileSync(Buffer.concat([Buffer.from(`${root}/a`), Buffer.from([0xff])]), "one");
    writeFileSync(Buffer.concat([Buffer.from(`${root}/a`), Buffer.from([0xfe])]), "two");
    const found: string[][] = [];

    for await (const entry of files.walk(root)) found.push([entry.path, await textOfEntry(entry)]);

    expect(found).toEqual([
      ["a\uFFFD", "two"],
      ["a\uFFFD", "one"],
    ]);
  });
});

async function* empty(): AsyncGenerator<Uint8Array> {}

/** The reads of each file, each begun right after `seen` was told of it. */
async function entriesOf(root: string, seen: (entry: WalkEntry) => void) {
  const reads: Promise<string>[] = [];
  for await (const entry of files.walk(root)) {
    seen(entry);
    if (entry.path !== "file") continue;
    const read = textOfEntry(entry);
    await read.catch(() => {});
    reads.push(read);
  }
  return reads;
}

describe("a walk", () => {
  it("goes no deeper than it is asked to", async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, "a/b/c"), { recursive: true });

    const paths: string[] = [];
    for await (const { path } of files.walk(root, { maxDepth: 2 })) paths.push(path);

    expect(paths).toEqual(["a", "a/b"]);
  });

  it("follows no link on the way from the directory that it is told to trust", async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, "real/inner"), { recursive: true });
    writeFileSync(join(root, "real/inner/file"), "");
    symlinkSync("real", join(root, "link"));
    const walk = async (path: string, below?: string) => {
      const paths: string[] = [];
      for await (const entry of files.walk(path, below === undefined ? {} : { below }))
        paths.push(entry.path);
      return paths;
    };

    expect(await walk(join(root, "link/inner"))).toEqual(["file"]);
    expect(await walk(join(root, "real/inner"), root)).toEqual(["file"]);
    await expect(walk(join(root, "link/inner"), root)).rejects.toMatchObject({
      data: { systemCode: "ELOOP" },
    });
    await expect(walk(root, join(root, "real"))).rejects.toMatchObject({
      data: { systemCode: "EPERM" },
    });
    await expect(
      textOf(files.readChunks(join(root, "link/inner/file"), { below: root })),
    ).rejects.toMatchObject({ data: { systemCode: "ELOOP" } });
    expect(await textOf(files.readChunks(join(root, "real/inner/file"), { below: root }))).toBe("");
  });

  it("tells of a directory that may not be read, and goes on", async () => {
    const root = temporaryFolder();
    chmodSync(root, 0o755);
    mkdirSync(join(root, "closed"), { mode: 0o000 });
    writeFileSync(join(root, "file"), "");
    const unreadable: string[] = [];
    const walk = async (options: Parameters<typeof files.walk>[1]) => {
      const paths: string[] = [];
      for await (const { path } of files.walk(root, options)) paths.push(path);
      return paths;
    };

    await asNobody(async () => {
      expect(await walk({ onUnreadable: (path) => unreadable.push(path) })).toEqual([
        "closed",
        "file",
      ]);
      await expect(walk({})).rejects.toMatchObject({ data: { systemCode: "EACCES" } });
    });

    expect(unreadable).toEqual(["closed"]);
  });
});

describe("a new link", () => {
  it("has the text that it was given, and takes the place of nothing", async () => {
    const root = temporaryFolder();
    await files.makeLink(join(root, "link"), "no/where");

    const [entry] = await Promise.all([files.stat(join(root, "link"))]);
    expect(entry?.kind).toBe("link");
    await expect(files.makeLink(join(root, "link"), "other")).rejects.toMatchObject({
      code: "ASSAY_STORE_FAILED",
      data: { systemCode: "EEXIST" },
    });
  });
});

describe("an atomic write in pieces", () => {
  it("writes them all, in order", async () => {
    const path = join(temporaryFolder(), "file");
    const piece = "añ€😀".repeat(50_000);

    await files.writeAtomic(path, ["", piece, piece, "end"]);

    expect(await files.readText(path)).toBe(`${piece}${piece}end`);
  });
});

describe("reading lines", () => {
  it("refuses a link when asked to, and a line that is a good deal too long", async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, "file"), `short\n${"x".repeat(600_000)}\n`);
    symlinkSync("file", join(root, "link"));
    const read = async (name: string, options: Parameters<typeof files.readLines>[1]) => {
      const lines: string[] = [];
      for await (const line of files.readLines(join(root, name), options)) lines.push(line);
      return lines;
    };

    expect(await read("link", {})).toHaveLength(2);
    await expect(read("link", { refuseLink: true })).rejects.toMatchObject({
      data: { systemCode: "ELOOP" },
    });
    await expect(read("file", { maxLineBytes: 300_000 })).rejects.toMatchObject({
      code: "ASSAY_FILE_UNREADABLE",
      data: { systemCode: "EFBIG" },
    });
    expect(await read("file", { maxLineBytes: 600_000 })).toHaveLength(2);
  });
});
