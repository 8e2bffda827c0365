import { type FileHandle, symlink } from "node:fs/promises";
import { join } from "node:path";

import type { CopyTreeOptions } from "../../contracts/files.ts";
import { innerLink } from "../../support/inner-link.ts";
import { makeDirectory } from "./below.ts";
import { OpenDirectory } from "./open-directory.ts";
import { openNew, writeAll } from "./open-file.ts";
import { reading, writing } from "./system-errors.ts";

const maxFilesAtOnce = 8;
const chunkBytes = 256 * 1024;

interface Copy {
  readonly source: OpenDirectory;
  readonly target: string;
  /** How many directories lie between the root and `source`. */
  readonly depth: number;
  readonly keepsInnerLinks: boolean;
}

/**
 * Copies regular files and directories whose names are UTF-8. Copies are private; whether the owner may execute a file and when it was
 * changed is kept, as build tools look at both. A file that is already there is an error.
 */
export async function copyTree(
  from: string,
  to: string,
  { keepInnerLinks = false }: CopyTreeOptions = {},
): Promise<void> {
  const source = await OpenDirectory.open(from);
  await makeDirectory(to).catch(async (thrown: unknown) => {
    await source.close();
    throw thrown;
  });
  await copyDirectory({ source, target: to, depth: 0, keepsInnerLinks: keepInnerLinks });
}

async function copyDirectory(copy: Copy): Promise<void> {
  const { source } = copy;
  try {
    const names = { file: [] as string[], directory: [] as string[], link: [] as string[] };
    for (const name of await source.names()) {
      if (typeof name !== "string") continue;
      const facts = await source.facts(name);
      if (facts !== null && facts.kind !== "other") names[facts.kind].push(name);
    }
    await forEachBounded(names.file, (name) => copyFile(copy, name));
    if (copy.keepsInnerLinks) for (const name of names.link) await copyLink(copy, name);
    for (const name of names.directory) await copyInto(copy, name);
  } finally {
    await source.close();
  }
}

async function copyInto(copy: Copy, name: string): Promise<void> {
  const target = join(copy.target, name);
  await makeDirectory(target);
  const source = await copy.source.openDirectory(name);
  await copyDirectory({ ...copy, source, target, depth: copy.depth + 1 });
}

async function copyFile({ source, target }: Copy, name: string): Promise<void> {
  const input = await source.openFile(name);
  try {
    const facts = await reading(join(source.path, name), () => input.stat());
    // Something else may have taken the place of the file that was listed.
    if (!facts.isFile()) return;
    const targetPath = join(target, name);
    const output = await openNew(targetPath);
    try {
      await copyBytes({
        input,
        output,
        inputPath: join(source.path, name),
        outputPath: targetPath,
      });
      await writing(targetPath, async () => {
        if ((facts.mode & 0o100) !== 0) await output.chmod(0o700);
        await output.utimes(facts.atime, facts.mtime);
      });
    } finally {
      await output.close();
    }
  } finally {
    await input.close();
  }
}

interface Pipe {
  readonly input: FileHandle;
  readonly output: FileHandle;
  readonly inputPath: string;
  readonly outputPath: string;
}

async function copyBytes({ input, output, inputPath, outputPath }: Pipe): Promise<void> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (;;) {
    const { bytesRead } = await reading(inputPath, () => input.read(buffer, 0, chunkBytes, null));
    if (bytesRead === 0) return;
    await writing(outputPath, () => writeAll(output, buffer.subarray(0, bytesRead)));
  }
}

async function copyLink(copy: Copy, name: string): Promise<void> {
  const linkTarget = await copy.source.linkTarget(name);
  if (linkTarget === null || innerLink(linkTarget, copy.depth) === null) return;
  const path = join(copy.target, name);
  await writing(path, () => symlink(linkTarget, path));
}

async function forEachBounded<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  const workers = Array.from({ length: Math.min(maxFilesAtOnce, items.length) }, worker);
  const failed = (await Promise.allSettled(workers)).find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
