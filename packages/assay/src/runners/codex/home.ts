import path from "node:path";

import type { ProbeContext } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { CodexOptions } from "./options.ts";

/** The home that the user or the host names; null means a private one for each trial. */
export function hostHome(
  { codexHome }: Pick<CodexOptions, "codexHome">,
  { process, baseDir }: Pick<ProbeContext, "process" | "baseDir">,
): string | null {
  const given = codexHome ?? process.baseEnv(["CODEX_HOME"])["CODEX_HOME"] ?? "";
  if (given === "") return null;
  const home = process.baseEnv(["HOME"])["HOME"] ?? "/";
  const expanded = given === "~" || given.startsWith("~/") ? path.join(home, given.slice(1)) : given;
  return path.resolve(baseDir, expanded);
}

/** In a temporary directory Codex makes no helper programs: commands fail while it still exits 0 and claims success. */
export async function refuseTemporaryHome(
  home: string,
  { process, files }: Pick<ProbeContext, "process" | "files">,
): Promise<void> {
  const temporary = [...new Set(["/tmp", process.baseEnv()["TMPDIR"] ?? "/tmp"])];
  const real = await realOf(home, files);
  for (const parent of temporary) {
    const relative = path.relative(await realOf(parent, files), real);
    if (relative.startsWith("..") || path.isAbsolute(relative)) continue;
    throw new AssayError("ASSAY_TOOL_UNUSABLE", `CODEX_HOME "${home}" lies in the temporary directory "${parent}", where Codex cannot work`, {
      remedy: "Set CODEX_HOME (or the option codex_home, or ASSAY_SCRATCH for private homes) to a directory elsewhere.",
    });
  }
}

/** The real path of the deepest part that exists. */
async function realOf(target: string, files: ProbeContext["files"]): Promise<string> {
  if ((await files.stat(target)) !== null) return await files.realPath(target);
  const parent = path.dirname(target);
  return parent === target ? target : path.join(await realOf(parent, files), path.basename(target));
}
