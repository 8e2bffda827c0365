import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { type Headers, pack } from "tar-stream";
import { expect, it, onTestFinished } from "vitest";

import type { DownloadFacts } from "../../packages/assay/src/contracts/sandbox.ts";
import { nodeFileStore } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { packDirectory } from "../../packages/assay/src/sandbox/archive/pack.ts";
import { Unpacker } from "../../packages/assay/src/sandbox/archive/unpack.ts";

type TarEntry = Pick<Headers, "name"> & Partial<Headers> & { readonly text?: string };

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "assay-archive-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const archive = pack();
  for (const { text = "", ...header } of entries) archive.entry(header as Headers, text);
  archive.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function unpack(root: string, bytes: Buffer, pieceBytes = 700): Promise<DownloadFacts> {
  const unpacker = new Unpacker(nodeFileStore, root);
  for (let start = 0; start < bytes.length; start += pieceBytes)
    await unpacker.write(bytes.subarray(start, start + pieceBytes));
  return await unpacker.end();
}

const file = (name: string, text = "x"): TarEntry => ({ name, text });
const link = (name: string, linkname: string): TarEntry => ({ name, type: "symlink", linkname });
const hard = (name: string, linkname: string): TarEntry => ({ name, type: "link", linkname });

it.each<[string, TarEntry[], string[], DownloadFacts["omitted"]]>([
  ["a name that goes up", [file("top/../../up"), file("top/ok")], ["ok"], { unsafe_name: 1 }],
  ["an absolute name", [file("/tmp/top/up")], [], { unsafe_name: 1 }],
  ["a name that is too long", [file(`top/${"n".repeat(300)}`)], [], { unsafe_name: 1 }],
  ["an absolute link", [link("top/l", "/etc/passwd")], [], { outward_link: 1 }],
  ["a link that goes up", [link("top/d/l", "../../up")], [], { outward_link: 1 }],
  ["a link that goes up by another", [link("top/l", "d/../../up")], [], { outward_link: 1 }],
  ["a hard link to what is not there", [hard("top/l", "etc/passwd")], [], { outward_link: 1 }],
  ["a hard link that goes up", [hard("top/l", "../etc/passwd")], [], { outward_link: 1 }],
  ["a device", [{ name: "top/d", type: "block-device" }], [], { special_file: 1 }],
  ["a FIFO", [{ name: "top/d", type: "fifo" }], [], { special_file: 1 }],
  ["a second file of a name", [file("top/a"), file("top/a", "later")], ["a"], { duplicate: 1 }],
  ["a file below a file", [file("top/a"), file("top/a/b")], ["a"], { duplicate: 1 }],
  [
    "a file in place of a directory",
    [file("top/a/b"), file("top/a")],
    ["a", "a/b"],
    { duplicate: 1 },
  ],
])("%s is left out", async (_what, entries, names, omitted) => {
  const parent = folder();
  const root = join(parent, "root");
  await nodeFileStore.makePrivateDirectory(root);
  const facts = await unpack(root, await tarOf(entries));
  expect(facts.omitted).toEqual(omitted);
  expect((readdirSync(root, { recursive: true }) as string[]).sort()).toEqual(names);
  expect(readdirSync(parent)).toEqual(["root"]);
});

it("nothing is written through a link of the archive", async () => {
  const root = folder();
  const outside = folder();
  const facts = await unpack(
    root,
    await tarOf([
      link("top/way", outside),
      file("top/way/in"),
      link("top/d", "e"),
      file("top/d/f"),
    ]),
  );
  expect(readdirSync(outside)).toEqual([]);
  expect(facts).toMatchObject({ fileCount: 0, omitted: { duplicate: 2, outward_link: 1 } });
});

it("nothing is written through a link that lies in the directory already", async () => {
  const root = folder();
  const outside = folder();
  symlinkSync(outside, join(root, "way"));
  const unpacking = unpack(root, await tarOf([file("top/way/in")]));
  await expect(unpacking).rejects.toMatchObject({ code: "ASSAY_STORE_FAILED" });
  expect(readdirSync(outside)).toEqual([]);
});

it("files are private, whatever their modes were, and stay executable", async () => {
  const root = folder();
  await unpack(
    root,
    await tarOf([
      { name: "top/d", type: "directory", mode: 0 },
      { ...file("top/d/open"), mode: 0o666 },
      { ...file("top/d/run"), mode: 0o4755 },
      hard("top/d/same", "top/d/run"),
    ]),
  );
  const modes = ["d", "d/open", "d/run", "d/same"].map(
    (name) => statSync(join(root, name)).mode & 0o7777,
  );
  expect(modes).toEqual([0o700, 0o600, 0o700, 0o600]);
});

it("an archive that ends too soon, or is none, is an error", async () => {
  const whole = await tarOf([file("top/a", "x".repeat(5000))]);
  await expect(unpack(folder(), whole.subarray(0, 2000))).rejects.toMatchObject({
    code: "ASSAY_SANDBOX_FAILED",
  });
  await expect(unpack(folder(), Buffer.alloc(1024, "no archive"))).rejects.toMatchObject({
    code: "ASSAY_SANDBOX_FAILED",
  });
});

it("whatever an archive holds, nothing comes to be outside of the directory", async () => {
  const step = fc.constantFrom("top", "a", "b", "..", ".", "", "/", "c");
  const name = fc.array(step, { minLength: 1, maxLength: 6 }).map((steps) => steps.join("/"));
  const type = fc.constantFrom("file", "directory", "symlink", "link", "fifo");
  const entry = fc.record({ name, type, linkname: name });
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 12 }), async (entries) => {
      const parent = mkdtempSync(join(tmpdir(), "assay-archive-"));
      const root = join(parent, "outer", "root");
      await nodeFileStore.makeDirectory(root);
      await unpack(root, await tarOf(entries as TarEntry[]));
      expect(readdirSync(parent)).toEqual(["outer"]);
      expect(readdirSync(join(parent, "outer"))).toEqual(["root"]);
      rmSync(parent, { recursive: true });
    }),
    { numRuns: 100 },
  );
});

it("what is packed comes out the same, without links", async () => {
  const from = folder();
  const text = "long text, ".repeat(50_000);
  await nodeFileStore.makeDirectory(join(from, "deep", "er"));
  await nodeFileStore.writeNew(join(from, "deep", "er", "long.txt"), [Buffer.from(text)]);
  symlinkSync("/etc", join(from, "link"));
  const root = folder();
  const unpacker = new Unpacker(nodeFileStore, root);
  const top: Uint8Array[] = [];
  for await (const chunk of packDirectory(nodeFileStore, from, { uid: 1000, gid: 1000 }))
    top.push(chunk);
  await unpacker.write(Buffer.concat(top));
  const facts = await unpacker.end();
  expect(facts).toMatchObject({ fileCount: 1, sizeBytes: text.length });
  expect(readFileSync(join(root, "er", "long.txt"), "utf8")).toBe(text);
});

it("an archive that nobody reads to its end leaves no error behind", async () => {
  const from = folder();
  writeFileSync(join(from, "large"), Buffer.alloc(8 * 1024 * 1024));
  for await (const chunk of packDirectory(nodeFileStore, from, { uid: 0, gid: 0 })) {
    expect(chunk.length).toBeGreaterThan(0);
    break;
  }
  // An error that nobody awaits is told after a turn of the loop, and fails this file.
  await new Promise((resolve) => setImmediate(resolve));
});
