import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { nodeFileStore as files } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { defineTool, itNeeds } from "../support/tools.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { asNobody } from "./unprivileged.ts";

defineTool("linux", () =>
  process.platform === "linux" ? null : "paths of open files are of Linux",
);

/** Makes a chain of directories whose whole path no system call takes. */
function dig(folder: string, depth: number): void {
  const script = `
    const fs = require("node:fs");
    for (let i = 0; i < ${depth}; i += 1) { fs.mkdirSync("dddd"); process.chdir("dddd"); }
    fs.writeFileSync("bottom", "");
  `;
  execFileSync(process.execPath, ["-e", script], { cwd: folder });
}

itNeeds(
  "linux",
  "a tree deeper than paths may be long is removed, with its neighbours",
  async () => {
    const tree = join(temporaryFolder(), "tree");
    mkdirSync(join(tree, "deep"), { recursive: true });
    dig(join(tree, "deep"), 1000);
    for (let index = 0; index < 20; index += 1) {
      mkdirSync(join(tree, `beside-${index}/a/b/c`), { recursive: true });
      writeFileSync(join(tree, `beside-${index}/a/b/c/file`), "");
    }

    await files.remove(tree);

    expect(existsSync(tree)).toBe(false);
  },
);

it("closed directories are removed, and nothing that links in them lead to", async () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o777);
  const tree = join(folder, "tree");
  await asNobody(async () => {
    mkdirSync(join(folder, "outside"));
    writeFileSync(join(folder, "outside/kept"), "");
    mkdirSync(join(tree, "closed/inner"), { recursive: true });
    writeFileSync(join(tree, "closed/inner/file"), "");
    symlinkSync(join(folder, "outside"), join(tree, "closed/link"));
    chmodSync(join(tree, "closed/inner"), 0o000);
    chmodSync(join(tree, "closed"), 0o500);

    await files.remove(tree);
  });

  expect(readdirSync(folder)).toEqual(["outside"]);
  expect(readdirSync(join(folder, "outside"))).toEqual(["kept"]);
});

it("names that are no UTF-8 are removed", async () => {
  const tree = join(temporaryFolder(), "tree");
  const name = Buffer.concat([Buffer.from(`${tree}/n`), Buffer.from([0xff])]);
  mkdirSync(name, { recursive: true });
  writeFileSync(Buffer.concat([name, Buffer.from([0x2f, 0xfe])]), "");

  await files.remove(tree);

  expect(existsSync(tree)).toBe(false);
});
