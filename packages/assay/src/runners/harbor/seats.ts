import type { TrialPlan } from "../../contracts/runner.ts";

/** The trials of a plan that are still to come. */
export class Seats {
  readonly #free: Map<string, number[]>;

  constructor({ tasks }: TrialPlan) {
    this.#free = new Map(tasks.map(({ task, trialIndexes }) => [task.id, [...trialIndexes]]));
  }

  /** The next index of the task that is still to come, or that very one; null when there is none. */
  take(taskId: string, wanted?: number): number | null {
    const free = this.#free.get(taskId) ?? [];
    const place = wanted === undefined ? 0 : free.indexOf(wanted);
    return free.splice(place, place < 0 ? 0 : 1)[0] ?? null;
  }

  /** How many of the task are still to come. */
  left(taskId: string): number {
    return this.#free.get(taskId)?.length ?? 0;
  }

  get isEmpty(): boolean {
    return [...this.#free.values()].every((free) => free.length === 0);
  }

  /** Tasks with trials still to come. */
  get tasksLeft(): readonly string[] {
    return [...this.#free].flatMap(([id, free]) => (free.length > 0 ? [id] : []));
  }
}
