import type { TaskFields } from "../schema/task.ts";

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
