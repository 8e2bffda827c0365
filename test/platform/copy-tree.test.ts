import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeFileStore as files } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { OpenDirectory } from "../../packages/assay/src/platform/files/open-directory.ts";
import { itNeeds } from "../support/tools.ts";
import { makeFifo, temporaryFolder } from "./temporary-folder.ts";
import "./real-processes.ts";

async function pathsBelow(root: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const entry of files.walk(root)) paths.push(entry.path);
  return paths;
}

/** A folder with `from` (files and links as told) and a secret beside it. */
function sourceWith(entries: { files?: Record<string, string>; links?: Record<string, string> }) {
  const folder = temporaryFolder();
  const from = join(folder, "from");
  mkdirSync(from);
  writeFileSync(join(folder, "secret"), "secret");
  const place = (path: string): string => {
    mkdirSync(dirname(join(from, path)), { recursive: true });
    return join(from, path);
  };
  for (const [path, text] of Object.entries(entries.files ?? {})) writeFileSync(place(path), text);
  for (const [path, target] of Object.entries(entries.links ?? {}))
    symlinkSync(target, place(path));
  return { from, to: join(folder, "to") };
}

describe("copying a tree", () => {
  it("copies every file, more than are open at once", async () => {
    const paths = Array.from({ length: 60 }, (_, index) => `d${index % 3}/e/f${index}`);
    const { from, to } = sourceWith({
      files: Object.fromEntries(paths.map((path) => [path, `content of ${path}`])),
    });
    writeFileSync(join(from, "big"), Buffer.alloc(700_000, "ab"));

    await files.copyTree(from, to);

    expect(await pathsBelow(to)).toEqual(await pathsBelow(from));
    for (const path of paths)
      expect(readFileSync(join(to, path), "utf8")).toBe(`content of ${path}`);
    expect(readFileSync(join(to, "big")).equals(readFileSync(join(from, "big")))).toBe(true);
  });

  it("makes private copies that keep whether they may be executed and when they were changed", async () => {
    const { from, to } = sourceWith({ files: { "bin/run": "#!/bin/sh\n", text: "" } });
    chmodSync(join(from, "bin/run"), 0o4777);
    chmodSync(join(from, "text"), 0o666);
    chmodSync(join(from, "bin"), 0o777);
    utimesSync(join(from, "text"), 1_000_000, 1_234_567);

    await files.copyTree(from, to);

    const modes = ["bin", "bin/run", "text"].map((path) => statSync(join(to, path)).mode & 0o7777);
    expect(modes).toEqual([0o700, 0o700, 0o600]);
    expect(statSync(join(to, "text")).mtimeMs).toBe(1_234_567_000);
  });

  it("leaves out FIFOs, and links unless they are asked for", async () => {
    const { from, to } = sourceWith({ files: { file: "x" }, links: { link: "file" } });
    makeFifo(join(from, "fifo"));

    await files.copyTree(from, to);

    expect(await pathsBelow(to)).toEqual(["file"]);
  });

  it.each([
    { path: "link", target: "file", isKept: true },
    { path: "link", target: "a/b/deep", isKept: true },
    { path: "link", target: "./a//b/", isKept: true },
    { path: "a/link", target: "../file", isKept: true },
    { path: "a/b/link", target: "../../file", isKept: true },
    { path: "a/b/link", target: "../..", isKept: true },
    { path: "link", target: "not-there", isKept: true },
    { path: "link", target: "../secret", isKept: false },
    { path: "a/link", target: "../../secret", isKept: false },
    { path: "link", target: "a/../../secret", isKept: false },
    { path: "link", target: "..", isKept: false },
    { path: "link", target: "/etc/passwd", isKept: false },
  ])("of the link $path to $target it is $isKept that it is copied", async (row) => {
    const { from, to } = sourceWith({
      files: { file: "x", "a/b/deep": "y" },
      links: { [row.path]: row.target },
    });

    await files.copyTree(from, to, { keepInnerLinks: true });

    expect((await pathsBelow(to)).includes(row.path)).toBe(row.isKept);
    if (row.isKept) expect(readlinkSync(join(to, row.path))).toBe(row.target);
  });

  it("leaves out an absolute link to a file inside, through which the source could be written", async () => {
    const { from, to } = sourceWith({ files: { file: "x" } });
    symlinkSync(join(from, "file"), join(from, "link"));

    await files.copyTree(from, to, { keepInnerLinks: true });

    expect(await pathsBelow(to)).toEqual(["file"]);
  });

  it("leaves out a link that leads outside by way of another link", async () => {
    // By its letters a/b/link is a/b/secret; but up is the root, and above the root is the secret.
    const { from, to } = sourceWith({
      files: { "a/b/file": "x" },
      links: { "a/b/up": "../..", "a/b/link": "up/../secret" },
    });
    expect(readFileSync(join(from, "a/b/link"), "utf8")).toBe("secret");

    await files.copyTree(from, to, { keepInnerLinks: true });

    expect(await pathsBelow(to)).toEqual(["a", "a/b", "a/b/file", "a/b/up"]);
  });

  it("refuses a root that is a link, and a file that is already there", async () => {
    const { from, to } = sourceWith({ files: { file: "x" } });
    symlinkSync(from, `${from}-link`);

    await expect(files.copyTree(`${from}-link`, to)).rejects.toMatchObject({
      code: "ASSAY_FILE_UNREADABLE",
      data: { systemCode: "ELOOP" },
    });
    await files.copyTree(from, to);
    await expect(files.copyTree(from, to)).rejects.toMatchObject({
      code: "ASSAY_STORE_FAILED",
      data: { path: join(to, "file"), systemCode: "EEXIST" },
    });
  });
});

itNeeds("proc", "an open directory stays the one it was when a link takes its place", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "parent", "child"), { recursive: true });
  writeFileSync(join(folder, "parent", "child", "mine"), "");
  mkdirSync(join(folder, "evil", "child"), { recursive: true });
  writeFileSync(join(folder, "evil", "child", "theirs"), "");
  const parent = await OpenDirectory.open(join(folder, "parent"));
  renameSync(join(folder, "parent"), join(folder, "moved"));
  symlinkSync("evil", join(folder, "parent"));

  const child = await parent.openDirectory("child");

  expect(await child.names()).toEqual(["mine"]);
  await child.close();
  await parent.close();
});
