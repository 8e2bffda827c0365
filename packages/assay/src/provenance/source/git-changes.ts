import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { messageOf } from "../../errors/assay-error.ts";
import type { SourceRecord } from "../../schema/environment.ts";
import type { Fact } from "../../schema/fact.ts";
import { digestOf, sha256HexOf } from "../../support/digest.ts";
import { compareText } from "../../support/natural-order.ts";
import type { Git } from "./git.ts";
import { headCommit } from "./git-head.ts";

type Changes = Pick<SourceRecord, "isDirty" | "diffDigest">;

const maxChangedFiles = 2000;
const maxChangedBytes = 256 * 1024 * 1024;
const link = "120000";
const submodule = "160000";

/** Tracked files that differ from the commit. What they hold now is read here, not by git: no filter or diff is started. */
export async function changesSince(git: Git, top: string, files: FileStore): Promise<Changes> {
  const answer = await git.ask([
    "status",
    "--porcelain=v2",
    "-z",
    "--untracked-files=no",
    "--ignore-submodules=dirty",
    "--no-renames",
  ]);
  if ("unknown" in answer) return { isDirty: answer, diffDigest: answer };
  if (answer.text === "") return { isDirty: false, diffDigest: null };
  const changed = answer.text.split("\0").flatMap((entry) => changedFile(entry) ?? []);
  if (answer.isCut || changed.length > maxChangedFiles) return tooManyFiles;
  return { isDirty: true, diffDigest: await diffDigestOf(changed, top, files) };
}

const tooManyFiles: Changes = {
  isDirty: true,
  diffDigest: { unknown: "too many files differ to be digested" },
};

interface ChangedFile {
  readonly path: string;
  /** In the working tree; zeros when it is gone. */
  readonly mode: string;
}

/** `1 <XY> <sub> <mH> <mI> <mW> <hH> <hI> <path>`, or `u` with one mode and one object more. */
function changedFile(entry: string): ChangedFile | null {
  const kind = entry[0];
  const fieldCount = kind === "1" ? 8 : kind === "u" ? 10 : 0;
  const fields = entry.split(" ");
  if (fieldCount === 0 || fields.length <= fieldCount) return null;
  const mode = fields[kind === "1" ? 5 : 6] ?? "";
  return { path: fields.slice(fieldCount).join(" "), mode };
}

/** Of each changed file: its path, its mode and what it holds, whatever git's version and settings are. */
async function diffDigestOf(
  changed: readonly ChangedFile[],
  top: string,
  files: FileStore,
): Promise<Fact<string>> {
  const content: Record<string, string> = {};
  let sizeBytes = 0;
  try {
    for (const { path: name, mode } of [...changed].sort((a, b) => compareText(a.path, b.path))) {
      const file = path.join(top, name);
      if (mode !== submodule) sizeBytes += (await files.stat(file))?.sizeBytes ?? 0;
      if (sizeBytes > maxChangedBytes) return { unknown: "too many bytes differ to be digested" };
      content[`file:${name}`] = `${mode} ${await contentOf(file, mode, { top, files })}`;
    }
  } catch (thrown) {
    return { unknown: `a file that differs cannot be read: ${messageOf(thrown)}` };
  }
  return digestOf("diff", content);
}

async function contentOf(
  file: string,
  mode: string,
  { top, files }: { readonly top: string; readonly files: FileStore },
): Promise<string> {
  if (/^0+$/.test(mode)) return "gone";
  if (mode === link) return "link";
  if (mode !== submodule) return await sha256HexOf(files.readChunks(file, { below: top }));
  const commit = await headCommit(file, files);
  return typeof commit === "string" ? commit : "no commit";
}
