import path from "node:path";

import type { TasksOfFolder } from "../../contracts/dataset.ts";
import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { nodeFileStore } from "../../platform/files/node-file-store.ts";
import type { JsonObject } from "../../support/json.ts";
import { didYouMean } from "../../support/names.ts";
import { findTaskFolders, readInstruction } from "./task-folders.ts";

/** A task of a dataset, as a suite holds it. */
export interface HarborTaskDefinition {
  /** As Harbor calls the task. */
  readonly id: string;
  readonly intent: string;
  readonly inputs: { readonly instruction: string };
  readonly metadata: JsonObject;
}

export interface HarborTasksOptions {
  /** The first so many, in the order of their folders. */
  readonly limit?: number;
  /** Folder names of the tasks that are wanted. */
  readonly taskNames?: readonly string[];
  /** Where the dataset comes from, for `metadata.harbor_source`. */
  readonly source?: string;
  /** The folder of the suite: a relative path starts there, and stays relative in the tasks. Default: the working directory. */
  readonly baseDir?: string;
}

/**
 * The tasks of a Harbor dataset: a folder of task folders, or one of these. The instruction is that of `instruction.md`.
 * Throws `ASSAY_TASK_INVALID` for a folder that is not there or holds no task, and for a broken `task.toml`.
 */
export async function loadHarborTasks(
  dataset: string,
  options: HarborTasksOptions = {},
): Promise<readonly HarborTaskDefinition[]> {
  return await readHarborTasks(dataset, options, nodeFileStore);
}

/** The same for a suite that names the dataset. */
export const harborTasksOf: TasksOfFolder = async (dataset, options, files) => {
  const tasks = await readHarborTasks(dataset, options, files);
  return tasks.map((task) => ({ place: String(task.metadata["harbor_task_dir"]), task }));
};

async function readHarborTasks(
  dataset: string,
  { limit, taskNames, source, baseDir }: HarborTasksOptions,
  files: FileStore,
): Promise<readonly HarborTaskDefinition[]> {
  const root = path.resolve(baseDir ?? ".", dataset);
  const folders = await findTaskFolders(root, files);
  const names = folders.map(({ directory }) => path.basename(directory));
  const missing = taskNames?.filter((name) => !names.includes(name)) ?? [];
  if (missing.length > 0) {
    const told = missing.map((name) => `"${name}"${didYouMean(name, names)}`).join(", ");
    throw new AssayError(
      "ASSAY_TASK_INVALID",
      `the Harbor dataset "${dataset}" has no folder ${told}`,
      { remedy: "Use names of folders in it that hold a task.toml." },
    );
  }
  const isWanted = (name: string) => taskNames === undefined || taskNames.includes(name);
  const wanted = folders.filter(({ directory }) => isWanted(path.basename(directory)));
  const isRelative = baseDir !== undefined && !path.isAbsolute(dataset);
  const named = (directory: string) => (isRelative ? path.relative(baseDir, directory) : directory);
  return await Promise.all(
    wanted.slice(0, limit).map(async (folder) => ({
      id: folder.name,
      intent: folder.name,
      inputs: { instruction: await readInstruction(folder, files) },
      metadata: {
        harbor_dataset_path: named(root) || ".",
        harbor_task_dir: named(folder.directory),
        ...(source === undefined ? {} : { harbor_source: source }),
      },
    })),
  );
}
