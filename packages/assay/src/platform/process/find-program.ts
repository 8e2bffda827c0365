import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, resolve } from "node:path";

/** The absolute path of a program that may be run, or null. A name with a slash is a path; others are looked up on `path`. */
export async function findProgram(
  program: string,
  options: { readonly path: string; readonly cwd: string },
): Promise<string | null> {
  if (program === "") return null;
  const folders = program.includes("/") ? ["."] : options.path.split(delimiter);
  for (const folder of folders) {
    // An empty entry would mean the working directory, which agents write to.
    if (folder === "") continue;
    const candidate = resolve(options.cwd, folder, program);
    if (await isRunnable(candidate)) return candidate;
  }
  return null;
}

async function isRunnable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // Absent or not permitted: the next folder of the path may have it.
    return false;
  }
}
