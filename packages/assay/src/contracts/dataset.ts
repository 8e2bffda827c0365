import type { TaskFields } from "../schema/task.ts";
import type { FileStore } from "./files.ts";

/** A row of another tool's dataset. */
export interface DatasetRow {
  readonly value: unknown;
  /** Path of the file as the suite names it. */
  readonly dataset: string;
  /** From 1. */
  readonly rowNumber: number;
}

/** Makes the task of a row. Equal rows give the same id. Throws `ASSAY_TASK_INVALID`. */
export type TaskOfRow = (row: DatasetRow) => TaskFields;

export interface DatasetFolderOptions {
  /** Names of the folders of the tasks that are wanted. Default: all. */
  readonly taskNames?: readonly string[];
  /** The folder of the suite. */
  readonly baseDir?: string;
}

export interface TaskInFolder {
  /** Its own folder, for messages. */
  readonly place: string;
  readonly task: Pick<TaskFields, "id" | "intent" | "inputs" | "metadata">;
}

/**
 * The tasks of another tool's dataset that is a folder, named as the suite names it. Throws `ASSAY_TASK_INVALID` for a
 * folder that is not there or holds none.
 */
export type TasksOfFolder = (
  directory: string,
  options: DatasetFolderOptions,
  files: FileStore,
) => Promise<readonly TaskInFolder[]>;
