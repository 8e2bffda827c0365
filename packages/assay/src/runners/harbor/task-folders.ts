import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { at, isText } from "./read-result.ts";
import { requireDirectory } from "./require-directory.ts";
import { parseToml } from "./toml.ts";

/** A folder that holds a Harbor task. */
export interface HarborTaskFolder {
  /** Absolute. */
  readonly directory: string;
  /** As Harbor calls the task: the name in `task.toml`, else that of the folder. */
  readonly name: string;
}

type Files = Pick<FileStore, "stat" | "list" | "readText" | "realPath">;

/** A folder that datasets keep to copy from. */
const templateFolder = "task_template";
const maxTextBytes = 4 * 1024 * 1024;

/**
 * The tasks of a dataset: the folder itself where it has a `task.toml`, else its folders that have one, by name. Throws
 * `ASSAY_TASK_INVALID` for a folder that is not there or holds none, and for a broken `task.toml`.
 */
export async function findTaskFolders(
  dataset: string,
  files: Files,
): Promise<readonly HarborTaskFolder[]> {
  const kind = (await files.stat(dataset))?.kind;
  if (kind === "link") return await findTaskFolders(await files.realPath(dataset), files);
  await requireDirectory(dataset, "the Harbor dataset", { files, code: "ASSAY_TASK_INVALID" });
  if (await isTaskFolder(dataset, files)) return [await readTaskFolder(dataset, files)];
  const found: HarborTaskFolder[] = [];
  for (const name of [...(await files.list(dataset))].sort()) {
    const directory = path.join(dataset, name);
    if (name === templateFolder || !(await isTaskFolder(directory, files))) continue;
    found.push(await readTaskFolder(directory, files));
  }
  if (found.length === 0)
    throw invalid(`the Harbor dataset "${dataset}" holds no folder with a task.toml`);
  return found;
}

/** Throws `ASSAY_TASK_INVALID` for what is no task, and `ASSAY_FILE_UNREADABLE` for a `task.toml` that cannot be read. */
export async function readTaskFolder(directory: string, files: Files): Promise<HarborTaskFolder> {
  const file = path.join(directory, "task.toml");
  if ((await files.stat(file)) === null) throw await noTaskAt(directory, files);
  const name = at(
    parseConfig(await files.readText(file, { maxBytes: maxTextBytes }), file),
    "task",
    "name",
  );
  return { directory, name: isText(name) ? name : path.basename(directory) };
}

async function noTaskAt(directory: string, files: Files): Promise<AssayError> {
  const isThere = (await files.stat(directory)) !== null;
  return new AssayError(
    "ASSAY_TASK_INVALID",
    `the Harbor task "${directory}" ${isThere ? "has no task.toml" : "is not there"}`,
    {
      remedy:
        "Give the folder that holds the task.toml; relative paths start at the suite's folder.",
    },
  );
}

function parseConfig(text: string, file: string): unknown {
  try {
    return parseToml(text, file);
  } catch (cause) {
    if (!AssayError.isInstance(cause)) throw cause;
    throw new AssayError("ASSAY_TASK_INVALID", `malformed Harbor task config at ${cause.message}`, {
      remedy: "Mend the line named in the message.",
      cause,
    });
  }
}

/** What the agent is told: `instruction.md` without a licence at its head; the name where there is none. */
export async function readInstruction(
  { directory, name }: HarborTaskFolder,
  files: Files,
): Promise<string> {
  const file = path.join(directory, "instruction.md");
  if ((await files.stat(file)) === null) return name;
  const text = await files.readText(file, { maxBytes: maxTextBytes });
  const instruction = text
    .replace(/^(?:\s*<!--(?:(?!-->)[\s\S])*SPDX-(?:(?!-->)[\s\S])*-->)+/, "")
    .trim();
  return instruction === "" ? name : instruction;
}

async function isTaskFolder(directory: string, files: Files): Promise<boolean> {
  return (await files.stat(path.join(directory, "task.toml")))?.kind === "file";
}

function invalid(message: string, cause?: unknown): AssayError {
  return new AssayError("ASSAY_TASK_INVALID", message, {
    remedy: "Give a Harbor task, or a folder of them.",
    ...(cause === undefined ? {} : { cause }),
  });
}
