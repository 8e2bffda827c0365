import path from "node:path";

import type { ProbeContext } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { isBelow } from "../../support/paths.ts";
import type { CodexOptions } from "./options.ts";

type Host = Pick<ProbeContext, "process" | "files" | "baseDir" | "scratch">;

/** The home that the user or the host names; null means a private one for each trial. */
export function hostHome(
  { codexHome }: Pick<CodexOptions, "codexHome">,
  { process, baseDir }: Pick<Host, "process" | "baseDir">,
): string | null {
  const { CODEX_HOME = "", HOME = "/" } = process.baseEnv(["CODEX_HOME", "HOME"]);
  const given = codexHome ?? CODEX_HOME;
  if (given === "") return null;
  const isOfUser = given === "~" || given.startsWith("~/");
  return isOfUser ? path.join(HOME, given.slice(1)) : path.resolve(baseDir, given);
}

/** Refuses a home where every trial would fail, or would seem to succeed. */
export async function checkHome(home: string | null, host: Host): Promise<void> {
  if (home === null) {
    await refuseTemporary(host.scratch, host, {
      what: `the scratch directory "${host.scratch}", where trials get private homes,`,
      remedy:
        "Set XDG_CACHE_HOME, below which scratch directories are made, to a directory elsewhere.",
    });
    return;
  }
  const remedy =
    "Set the option codex_home, or CODEX_HOME, to Codex's home; `codex login` makes one in ~/.codex.";
  await refuseTemporary(home, host, { what: `CODEX_HOME "${home}"`, remedy });
  const kind = (await host.files.stat(await realOf(home, host.files)))?.kind;
  if (kind === "directory") return;
  const problem = kind === undefined ? "is not there" : "is no directory";
  throw new AssayError("ASSAY_TOOL_UNUSABLE", `CODEX_HOME "${home}" ${problem}`, { remedy });
}

/** There Codex makes no helper programs: commands may fail while it still exits 0 and claims success. */
async function refuseTemporary(
  directory: string,
  { process, files }: Host,
  { what, remedy }: { readonly what: string; readonly remedy: string },
): Promise<void> {
  const { TMPDIR = "/tmp" } = process.baseEnv();
  const real = await realOf(directory, files);
  for (const temporary of new Set(["/tmp", TMPDIR])) {
    const root = await realOf(temporary, files);
    if (real !== root && !isBelow(root, real)) continue;
    const problem = `${what} lies in the temporary directory "${temporary}", where Codex cannot work`;
    throw new AssayError("ASSAY_TOOL_UNUSABLE", problem, { remedy });
  }
}

/** The real path of the deepest part that exists. */
async function realOf(target: string, files: Host["files"]): Promise<string> {
  if ((await files.stat(target)) !== null) return await files.realPath(target);
  const parent = path.dirname(target);
  return parent === target ? target : path.join(await realOf(parent, files), path.basename(target));
}
