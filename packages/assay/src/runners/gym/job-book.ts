import type { PlannedTask } from "../../contracts/runner.ts";
import type { TrialPlace } from "./outcome.ts";
import type { RolloutRow } from "./rollout.ts";

type Placed =
  | { readonly place: TrialPlace }
  | { readonly problem: "no_index" | "unknown" | "extra" };

interface TaskPages {
  readonly task: PlannedTask;
  /** Positions among its trials that have come. */
  readonly taken: Set<number>;
  withoutIndex: number;
  failures: number;
}

/** Which trial each row of one job is. Gym counts tasks as the run does, and the rollouts of the job from 0. */
export class JobBook {
  readonly #tasks: ReadonlyMap<number, TaskPages>;

  constructor(tasks: readonly PlannedTask[]) {
    this.#tasks = new Map(
      tasks.map((task) => [
        task.taskIndex,
        { task, taken: new Set<number>(), withoutIndex: 0, failures: 0 },
      ]),
    );
  }

  get taskIndexes(): readonly number[] {
    return [...this.#tasks.keys()];
  }

  /** Tasks of which nothing has come. */
  get emptyTasks(): readonly PlannedTask[] {
    return [...this.#tasks.values()]
      .filter(({ taken }) => taken.size === 0)
      .map(({ task }) => task);
  }

  success(row: RolloutRow): Placed {
    const pages = this.#pagesOf(row);
    if ("problem" in pages) return pages;
    const position = take(pages, row.rolloutIndex);
    if (position === null) return { problem: "extra" };
    const { task } = pages.task;
    const trialIndex = pages.task.trialIndexes[position] as number;
    const suffix = row.rolloutIndex === null ? `noidx${pages.withoutIndex++}` : String(trialIndex);
    return { place: { id: `${task.id}:${suffix}`, taskId: task.id, trialIndex } };
  }

  failure(row: RolloutRow): Placed {
    const pages = this.#pagesOf(row);
    if ("problem" in pages) return pages;
    const position = take(pages, row.rolloutIndex);
    if (position === null) return { problem: "extra" };
    const { task } = pages.task;
    const trialIndex = pages.task.trialIndexes[position] as number;
    return { place: { id: `${task.id}:fail${pages.failures++}`, taskId: task.id, trialIndex } };
  }

  #pagesOf({ taskIndex }: RolloutRow): TaskPages | { readonly problem: "no_index" | "unknown" } {
    if (taskIndex === null) return { problem: "no_index" };
    return this.#tasks.get(taskIndex) ?? { problem: "unknown" };
  }
}

/** The position that a row names, or the first free one; null when there is none. */
function take({ task: { trialIndexes }, taken }: TaskPages, named: number | null): number | null {
  const position = named ?? trialIndexes.findIndex((_index, at) => !taken.has(at));
  if (position < 0 || position >= trialIndexes.length || taken.has(position)) return null;
  taken.add(position);
  return position;
}
