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
  const known = tasks.map(({ id }) => id);
  const unknown = taskIds?.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    throw new AssayError(
      "ASSAY_NAME_UNKNOWN",
      `the suite has no task "${unknown}"${didYouMean(unknown, known)}`,
    );
  }
  const wanted = taskIds === null ? null : new Set(taskIds);
  const chosen = wanted === null ? tasks : tasks.filter(({ id }) => wanted.has(id));
  return limit === null ? chosen : chosen.slice(0, limit);
}
