import type { Task } from "../../contracts/task.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { didYouMean } from "../../support/names.ts";

export interface Selection {
  readonly taskIds: readonly string[] | null;
  readonly limit: number | null;
}

/** The tasks to run, in the order of the suite. */
export function selectTasks(
  tasks: readonly Task[],
  { taskIds, limit }: Selection,
): readonly Task[] {
  if (tasks.length === 0) throw new AssayError("ASSAY_TASK_INVALID", "the suite has no tasks");
  const chosen = taskIds === null ? tasks : withIds(tasks, taskIds);
  return limit === null ? chosen : chosen.slice(0, limit);
}

function withIds(tasks: readonly Task[], taskIds: readonly string[]): readonly Task[] {
  const known = new Set(tasks.map(({ id }) => id));
  const unknown = taskIds.find((id) => !known.has(id));
  if (unknown !== undefined) {
    throw new AssayError(
      "ASSAY_NAME_UNKNOWN",
      `the suite has no task "${unknown}"${didYouMean(unknown, [...known])}`,
      { remedy: "Give the id of a task of the suite.", data: { task_id: unknown } },
    );
  }
  const wanted = new Set(taskIds);
  return tasks.filter(({ id }) => wanted.has(id));
}
