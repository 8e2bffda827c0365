import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import type { SourceRecord } from "../../schema/environment.ts";
import { type Git, settingsOf } from "./git.ts";
import { headCommit } from "./git-head.ts";

const maxSubmodules = 200;

/** Each submodule with the commit that the repository asks for, and the one that is there. */
export async function submodulesOf(
  git: Git,
  top: string,
  files: FileStore,
): Promise<SourceRecord["submodules"]> {
  const list = path.join(top, ".gitmodules");
  if ((await files.stat(list))?.kind !== "file") return [];
  const named = await git.ask(["config", "-z", "-f", list, "--get-regexp", "\\.path$"]);
  if ("unknown" in named) return { unknown: "the list of submodules cannot be read" };
  const paths = settingsOf(named.text).map(([, value]) => value);
  if (named.isCut || paths.length > maxSubmodules) return { unknown: "there are too many" };
  const staged = await git.ask([
    "-C",
    top,
    "ls-files",
    "--stage",
    "-z",
    "--",
    ...paths.map(withoutEnd),
  ]);
  if ("unknown" in staged) return staged;
  const records = staged.text.split("\0").flatMap((entry) => submoduleOf(entry) ?? []);
  return await Promise.all(
    records.map(async ({ path: name, commit }) => ({
      path: name,
      commit,
      checkedOut: await checkedOut(path.join(top, name), files),
    })),
  );
}

const withoutEnd = (name: string) => name.replace(/\/+$/, "");

/** `160000 <commit> 0\t<path>` */
function submoduleOf(entry: string): { readonly path: string; readonly commit: string } | null {
  const match = /^160000 ([0-9a-f]+) \d\t(.+)$/s.exec(entry);
  const [, commit, name] = match ?? [];
  return commit === undefined || name === undefined ? null : { path: name, commit };
}

/** A folder without a repository of its own would show the one around it. */
async function checkedOut(folder: string, files: FileStore) {
  if ((await files.stat(path.join(folder, ".git"))) === null)
    return { unknown: "it is not checked out" };
  return await headCommit(folder, files);
}
