import type { Task } from "../../contracts/task.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { PlanRecord } from "../../schema/plan.ts";
import { didYouMean } from "../../support/names.ts";
import type { RunOptions } from "../api.ts";

type Selection = PlanRecord["selection"];

/** The selection that this start of the run gives, or else the one that its plan has. */
export function selectionOf(options: RunOptions, stored: PlanRecord | null): Selection {
  const { taskIds, limit } = options;
  if (stored !== null && taskIds === undefined && limit === undefined) return stored.selection;
  return { taskIds: taskIds === undefined ? null : [...taskIds], limit: limit ?? null };
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
