import type { Task } from "../../contracts/task.ts";

/** One repetition of a task that is to be produced. */
export interface PlannedTrial {
  readonly task: Task;
  readonly taskIndex: number;
  readonly trialIndex: number;
}
