import { AssayError } from "../../errors/assay-error.ts";

/** The indexes of one task's trials lie in memory once, for all tasks; what a runner keeps for each trial adds to it. */
const maxTrialsPerTask = 1_000_000;
const maxTrials = 10_000_000;

/** Throws `ASSAY_CONFIG_INVALID` for more trials than a run can hold. */
export function assertPlanSize(taskCount: number, trialsPerTask: number): void {
  if (trialsPerTask <= maxTrialsPerTask && taskCount * trialsPerTask <= maxTrials) return;
  const [tasks, trials, mostPerTask, most] = [
    taskCount,
    trialsPerTask,
    maxTrialsPerTask,
    maxTrials,
  ].map((count) => count.toLocaleString("en-US"));
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    `${trials} trials of each of ${tasks} tasks are too many: a run holds at most ${mostPerTask} trials of a task and ${most} in all`,
    { remedy: "Ask for fewer trials, or spread the tasks over several runs." },
  );
}
