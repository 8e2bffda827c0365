import path from "node:path";

import type { PlannedTask, RunContext, TrialPlan } from "../../contracts/runner.ts";
import type { Task } from "../../contracts/task.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { directoryDigest } from "./directory-digest.ts";
import { type HarborOptions, modeOf } from "./options.ts";
import { type HarborResult, isText } from "./read-result.ts";
import { findTaskFolders, type HarborTaskFolder, readTaskFolder } from "./task-folders.ts";

type Context = Pick<RunContext, "baseDir" | "files">;

/** Datasets that were looked through, by their path: a run asks for each of its tasks. */
export type Datasets = Map<string, Promise<readonly HarborTaskFolder[]>>;

/**
 * The Harbor task that a task of Assay stands for: `metadata.harbor_task_dir`, else the one of that name in the dataset of
 * the options or of `metadata.harbor_dataset_path`. Throws `ASSAY_TASK_INVALID` where there is none.
 */
async function taskFolderOf(
  { id, metadata }: Pick<Task, "id" | "metadata">,
  options: HarborOptions,
  { baseDir, files }: Context,
  datasets: Datasets = new Map(),
): Promise<HarborTaskFolder> {
  const ownFolder = metadata["harbor_task_dir"];
  const dataset = options.datasetPath ?? metadata["harbor_dataset_path"];
  if (isText(ownFolder) && options.datasetPath === null)
    return await readTaskFolder(path.resolve(baseDir, ownFolder), files);
  if (!isText(dataset)) {
    throw new AssayError("ASSAY_TASK_INVALID", `task "${id}" names no Harbor task`, {
      remedy:
        "Set the option dataset_path, or metadata.harbor_task_dir or metadata.harbor_dataset_path of the task.",
      data: { task_id: id },
    });
  }
  const at = path.resolve(baseDir, dataset);
  const likely = await likelyFolder(at, { id, ownFolder }, files);
  if (likely !== null) return likely;
  const finding = datasets.get(at) ?? findTaskFolders(at, files);
  datasets.set(at, finding);
  const folderName = isText(ownFolder) ? path.basename(ownFolder) : null;
  const found = (await finding).find(
    ({ name, directory }) => name === id || path.basename(directory) === folderName,
  );
  if (found !== undefined) return found;
  throw new AssayError(
    "ASSAY_TASK_INVALID",
    `task "${id}" is not in the Harbor dataset "${dataset}"`,
    {
      data: { task_id: id },
    },
  );
}

/** Where most datasets have a task: in the folder that it names, or that of its name. Saves a look at all the others. */
async function likelyFolder(
  dataset: string,
  { id, ownFolder }: { readonly id: string; readonly ownFolder: unknown },
  files: Context["files"],
): Promise<HarborTaskFolder | null> {
  const name = path.basename(isText(ownFolder) ? ownFolder : id);
  const directory = path.join(dataset, name);
  const isInside = path.dirname(directory) === path.normalize(dataset);
  if (!isInside || (await files.stat(path.join(directory, "task.toml")))?.kind !== "file")
    return null;
  const folder = await readTaskFolder(directory, files);
  return folder.name === id ? folder : null;
}

/** Refuses a task that cannot be run, before anything is. Results of a finished job need no task. */
export async function checkHarborTask(
  task: Task,
  options: HarborOptions,
  context: Context,
): Promise<void> {
  if (modeOf(options) !== "native") return;
  const { directory } = await taskFolderOf(task, options, context);
  const folder = path.basename(directory);
  if (options.taskNames === null || options.taskNames.includes(folder)) return;
  throw new AssayError(
    "ASSAY_TASK_INVALID",
    `task "${task.id}" lies in the folder "${folder}", which task_names leaves out`,
    { remedy: "Take the task out of the suite, or its folder into task_names." },
  );
}

/** What Harbor runs of a task: all that lies in its folder. Null where a finished job is read. */
export async function harborTaskDigest(
  task: Task,
  options: HarborOptions,
  context: Context,
): Promise<string | null> {
  if (modeOf(options) !== "native") return null;
  const { directory } = await taskFolderOf(task, options, context);
  return await folderDigest(directory, options, context);
}

/** Digest of a task's folder. Jobs that are kept in it are no part of it. */
export async function folderDigest(
  directory: string,
  { jobsDir }: Pick<HarborOptions, "jobsDir">,
  { baseDir, files }: Context,
): Promise<string> {
  const jobs = jobsDir === null ? null : path.resolve(baseDir, jobsDir);
  const exists = jobs !== null && (await files.stat(jobs)) !== null;
  return await directoryDigest(directory, files, exists ? await files.realPath(jobs) : null);
}

/** A task of the plan with the folder that it stands for. */
export interface PlacedTask extends PlannedTask {
  readonly folder: HarborTaskFolder;
}

/** Every task of the plan with its folder. */
export async function placeTasks(
  { tasks }: TrialPlan,
  options: HarborOptions,
  context: Context,
): Promise<readonly PlacedTask[]> {
  const datasets: Datasets = new Map();
  const placed: PlacedTask[] = [];
  for (const planned of tasks) {
    const folder = await taskFolderOf(planned.task, options, context, datasets);
    placed.push({
      ...planned,
      folder: { ...folder, directory: await context.files.realPath(folder.directory) },
    });
  }
  return placed;
}

/** Which task of the plan a result is of: by the folder that was run, else by Harbor's name of it, else by its id. */
export class TaskFinder {
  readonly #byFolder = new Map<string, PlannedTask>();
  readonly #byName = new Map<string, PlannedTask>();

  constructor(tasks: readonly (PlannedTask & { readonly folder?: HarborTaskFolder })[]) {
    for (const planned of tasks) {
      const { task, folder } = planned;
      if (folder !== undefined) {
        this.#byFolder.set(folder.directory, planned);
        if (!this.#byName.has(folder.name)) this.#byName.set(folder.name, planned);
      }
      this.#byName.set(task.id, planned);
    }
  }

  find({ taskName, taskPath }: HarborResult): PlannedTask | null {
    const byFolder = taskPath === null ? undefined : this.#byFolder.get(taskPath);
    return byFolder ?? (taskName === null ? null : (this.#byName.get(taskName) ?? null));
  }
}
