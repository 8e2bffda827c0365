import { mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeFileStore as files } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { itNeeds } from "../support/tools.ts";
import { makeFifo, temporaryFolder } from "./temporary-folder.ts";
import "./real-processes.ts";

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

function folderOfKinds(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "file"), "content");
  symlinkSync("file", join(folder, "link"));
  symlinkSync("nowhere", join(folder, "dangling"));
  mkdirSync(join(folder, "directory"));
  makeFifo(join(folder, "fifo"));
  return folder;
}

describe("reading a regular file only", () => {
  it.each([
    { name: "link", systemCode: "ELOOP" },
    { name: "dangling", systemCode: "ELOOP" },
    { name: "fifo", systemCode: "EPERM" },
    { name: "directory", systemCode: "EISDIR" },
    { name: "absent", systemCode: "ENOENT" },
    { name: "file/below", systemCode: "ENOTDIR" },
  ])("$name is refused with $systemCode, without waiting", async ({ name, systemCode }) => {
    const path = join(folderOfKinds(), name);
    const error = { code: "ASSAY_FILE_UNREADABLE", data: { path, systemCode } };

    await expect(files.readRegular(path)).rejects.toMatchObject(error);
    await expect(collect(files.readChunks(path))).rejects.toMatchObject(error);
  });

  it.each(["/dev/zero", "/dev/null"])("the device %s is refused", async (path) => {
    await expect(files.readRegular(path)).rejects.toMatchObject({ data: { systemCode: "EPERM" } });
    await expect(files.readText(path)).rejects.toMatchObject({ data: { systemCode: "EPERM" } });
  });

  it("a socket is refused", async () => {
    const path = join(temporaryFolder(), "socket");
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => void server.close());

    await expect(files.readRegular(path)).rejects.toMatchObject({ code: "ASSAY_FILE_UNREADABLE" });
  });

  it("a file is read whole, and in chunks", async () => {
    const path = join(temporaryFolder(), "big");
    const content = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, index) => index % 251));
    writeFileSync(path, content);

    const chunks = await collect(files.readChunks(path));

    expect(content.equals(await files.readRegular(path))).toBe(true);
    expect(chunks.length).toBeGreaterThan(1);
    expect(content.equals(Buffer.concat(chunks))).toBe(true);
    expect(new Set(chunks.map(({ buffer }) => buffer)).size).toBe(chunks.length);
  });

  it("a file is read in chunks of one memory, where each is used before the next", async () => {
    const path = join(temporaryFolder(), "big");
    const content = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, index) => index % 251));
    writeFileSync(path, content);

    const copies: Buffer[] = [];
    const memories = new Set<ArrayBufferLike>();
    for await (const chunk of files.readChunks(path, { reuse: true })) {
      copies.push(Buffer.from(chunk));
      memories.add(chunk.buffer);
    }

    expect(content.equals(Buffer.concat(copies))).toBe(true);
    expect(copies.length).toBeGreaterThan(1);
    expect(memories.size).toBe(1);
  });
});

itNeeds(
  "proc",
  "no file stays open after a refusal, or after a reader that stops early",
  async () => {
    const folder = folderOfKinds();
    const countOpen = (): number => readdirSync("/proc/self/fd").length;
    const before = countOpen();

    for await (const _line of files.readLines(join(folder, "file"))) break;
    for await (const _chunk of files.readChunks(join(folder, "file"))) break;
    for await (const _entry of files.walk(folder)) break;
    await expect(files.readRegular(join(folder, "fifo"))).rejects.toThrow();

    expect(countOpen()).toBe(before);
  },
);

describe("reading text", () => {
  it("follows a link, and refuses a FIFO without waiting", async () => {
    const folder = folderOfKinds();

    expect(await files.readText(join(folder, "link"))).toBe("content");
    for (const read of [files.readText, files.readBytes]) {
      await expect(read(join(folder, "fifo"))).rejects.toMatchObject({
        data: { systemCode: "EPERM" },
      });
    }
    await expect(collect(files.readLines(join(folder, "fifo")))).rejects.toMatchObject({
      data: { systemCode: "EPERM" },
    });
  });

  it("a file over the limit is an error, one of exactly the limit is not", async () => {
    const path = join(folderOfKinds(), "file");

    expect(await files.readText(path, { maxBytes: 7 })).toBe("content");
    await expect(files.readText(path, { maxBytes: 6 })).rejects.toMatchObject({
      code: "ASSAY_FILE_UNREADABLE",
      data: { path, systemCode: "EFBIG" },
    });
  });

  it("without a limit of its own it takes 64 MiB: an error says how large the file is", async () => {
    const path = join(temporaryFolder(), "large");
    writeFileSync(path, "");
    truncateSync(path, 64 * 1024 * 1024 + 1);

    for (const read of [files.readText, files.readBytes, files.readRegular])
      await expect(read(path)).rejects.toThrow(
        `cannot read "${path}": it has 67108865 bytes, and may have 67108864 (EFBIG)`,
      );
  });

  itNeeds("proc", "a file that holds more than its size says is read to its end", async () => {
    expect(await files.readText("/proc/self/status")).toMatch(/^Name:.*nonvoluntary_ctxt/s);
    await expect(files.readText("/proc/self/status", { maxBytes: 100 })).rejects.toMatchObject({
      data: { systemCode: "EFBIG" },
    });
  });

  it("an error says what happened to which path", async () => {
    await expect(files.readText("/no/such/file")).rejects.toThrow(
      'cannot read "/no/such/file": no such file or directory (ENOENT)',
    );
    const link = join(temporaryFolder(), "link");
    symlinkSync("nowhere", link);
    for (const read of [files.readText, files.realPath])
      await expect(read(link)).rejects.toThrow(
        `cannot read "${link}": it is a link to what is not there (ENOENT)`,
      );
    await expect(files.readText("/a\0b")).rejects.toMatchObject({ code: "ASSAY_FILE_UNREADABLE" });
  });

  it.each([
    { content: "", lines: [] },
    { content: "a\nb\n", lines: ["a", "b"] },
    { content: "a\r\nb", lines: ["a", "b"] },
    { content: "\n\na\n", lines: ["", "", "a"] },
  ])("the lines of $content are $lines", async ({ content, lines }) => {
    const path = join(temporaryFolder(), "lines");
    writeFileSync(path, content);

    expect(await collect(files.readLines(path))).toEqual(lines);
  });

  it("lines that cross the chunks of a large file are whole", async () => {
    const path = join(temporaryFolder(), "lines");
    const lines = Array.from({ length: 40_000 }, (_, index) => `${index} häßlich €😀`);
    writeFileSync(path, lines.join("\n"));

    expect(await collect(files.readLines(path))).toEqual(lines);
  });

  it("lines of any length are whole, wherever texts and chunks of them end", async () => {
    const path = join(temporaryFolder(), "lines");
    const piece = 64 * 1024;
    const near = [piece, 2 * piece, 8 * piece].flatMap((size) => [size - 2, size - 1, size]);
    const length = fc.oneof(fc.nat(3), fc.nat(3000), fc.constantFrom(...near));
    await fc.assert(
      fc.asyncProperty(fc.array(length, { maxLength: 30 }), async (lengths) => {
        const text = lengths.map((size, index) => "abcdefg".charAt(index % 7).repeat(size));
        writeFileSync(path, text.map((line) => `${line}\n`).join(""));

        const read: string[] = [];
        for await (const batch of files.readLineBatches(path)) read.push(...batch);

        expect(read).toStrictEqual(text);
      }),
      { numRuns: 60 },
    );
  });
});

describe("looking at a path", () => {
  it.each([
    { name: "file", facts: { kind: "file", sizeBytes: 7 } },
    { name: "link", facts: { kind: "link" } },
    { name: "dangling", facts: { kind: "link" } },
    { name: "directory", facts: { kind: "directory" } },
    { name: "fifo", facts: { kind: "other" } },
  ])("$name is told as what it is", async ({ name, facts }) => {
    expect(await files.stat(join(folderOfKinds(), name))).toMatchObject(facts);
  });

  it("what is not there is null, below a file too", async () => {
    const folder = folderOfKinds();

    expect(await files.stat(join(folder, "absent"))).toBeNull();
    expect(await files.stat(join(folder, "file", "below"))).toBeNull();
  });

  it("a listing is in code-unit order", async () => {
    const folder = temporaryFolder();
    for (const name of ["b", "B", "a-", "a", "ä", "10", "9"]) writeFileSync(join(folder, name), "");

    expect(await files.list(folder)).toEqual(["10", "9", "B", "a", "a-", "b", "ä"]);
  });
});

describe("walking a tree", () => {
  const name = fc.stringMatching(/^[a-cA-C._ é-]{1,3}$/).filter((one) => !/^\.{1,2}$/.test(one));
  const tree = fc.letrec<{ tree: Record<string, unknown> }>((tie) => ({
    tree: fc.dictionary(name, fc.oneof({ depthSize: "small" }, fc.constant(null), tie("tree")), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  })).tree;

  function build(folder: string, node: Record<string, unknown>): void {
    for (const [key, value] of Object.entries(node)) {
      if (value === null) writeFileSync(join(folder, key), "");
      else {
        mkdirSync(join(folder, key));
        build(join(folder, key), value as Record<string, unknown>);
      }
    }
  }

  function pathsOf(node: Record<string, unknown>, prefix = ""): string[] {
    return Object.keys(node)
      .sort()
      .flatMap((key) => {
        const value = node[key];
        const below = value === null ? [] : pathsOf(value as never, `${prefix}${key}/`);
        return [`${prefix}${key}`, ...below];
      });
  }

  it("meets each entry once, depth first, names in code-unit order", async () => {
    const parent = temporaryFolder();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(tree, async (node) => {
        count += 1;
        const root = join(parent, String(count));
        mkdirSync(root);
        build(root, node);

        const entries = await collect(files.walk(root));

        expect(entries.map((entry) => entry.path)).toEqual(pathsOf(node));
      }),
      { numRuns: 40 },
    );
  });

  it("reports links and other things, and follows no link", async () => {
    const folder = folderOfKinds();
    writeFileSync(join(folder, "directory", "inner"), "12345");
    symlinkSync("directory", join(folder, "to-directory"));
    symlinkSync("/", join(folder, "directory", "to-root"));

    expect(await collect(files.walk(folder))).toMatchObject([
      { path: "dangling", kind: "link" },
      { path: "directory", kind: "directory" },
      { path: "directory/inner", kind: "file", sizeBytes: 5 },
      { path: "directory/to-root", kind: "link" },
      { path: "fifo", kind: "other" },
      { path: "file", kind: "file", sizeBytes: 7 },
      { path: "link", kind: "link" },
      { path: "to-directory", kind: "link" },
    ]);
  });

  it.each(["link", "absent", "file"])(
    "a root that is no directory (%s) is refused",
    async (kind) => {
      const root = join(folderOfKinds(), kind);

      await expect(collect(files.walk(root))).rejects.toMatchObject({
        code: "ASSAY_FILE_UNREADABLE",
      });
    },
  );
});
