import type { PlannedTask, Trial, TrialPlan } from "../../contracts/runner.ts";
import { describeKind } from "../../support/json.ts";

/** What is known of a task of which some trials have come and others are awaited. */
interface TaskBook {
  /** Indexes that have not come yet. */
  readonly awaited: Set<number>;
  /** Ids of the trials that came. */
  readonly ids: Set<string>;
}

export interface MissingTrial {
  readonly taskId: string;
  readonly taskIndex: number;
  readonly trialIndex: number;
}

/** A trial of the plan. All but its place and its id is as its runner gave it. */
export interface TakenTrial {
  readonly trial: Trial;
  readonly taskIndex: number;
  /** What people should know of it. */
  readonly note: string | null;
}

/**
 * Keeps count of what was planned and what came. Only planned trials are taken, each once. Of tasks that have not begun
 * and of those that are done nothing is kept but that.
 */
export class Intake {
  readonly #planned = new Map<string, PlannedTask>();
  readonly #open = new Map<string, TaskBook>();
  readonly #done = new Set<string>();

  /** Whether another trial of the task, of an earlier start of the run, has the id. */
  readonly #isTaken: (taskId: string, id: string, trialIndex: number) => boolean;

  constructor(
    plan: TrialPlan,
    isTaken: (taskId: string, id: string, trialIndex: number) => boolean,
  ) {
    this.#isTaken = isTaken;
    for (const planned of plan.tasks) this.#planned.set(planned.task.id, planned);
  }

  /** The trial with its place, or why it is dropped. */
  take(given: unknown): TakenTrial | { readonly dropped: string } {
    if (typeof given !== "object" || given === null)
      return { dropped: `${describeKind(given)}, which is no trial` };
    const { id, taskId, trialIndex } = given as Partial<Record<keyof Trial, unknown>>;
    const who = typeof id === "string" ? `trial "${id}"` : "a trial without an id";
    const planned = this.#planned.get(taskId as string);
    if (planned === undefined) return { dropped: `${who} of the unknown task "${String(taskId)}"` };
    const book = this.#bookOf(planned);
    if (book === null || !book.awaited.delete(trialIndex as number)) {
      const isPlanned = planned.trialIndexes.includes(trialIndex as number);
      const why = isPlanned ? "came a second time" : "was not planned";
      return { dropped: `${who} of task "${String(taskId)}": index ${String(trialIndex)} ${why}` };
    }
    const trial = this.#withOwnId(given as Trial, book);
    if (book.awaited.size === 0) this.#close(planned.task.id);
    const note =
      trial === given ? null : `${who} is kept as "${trial.id}": its task has one already`;
    return { trial, taskIndex: planned.taskIndex, note };
  }

  *missing(): Iterable<MissingTrial> {
    for (const [taskId, { taskIndex, trialIndexes }] of this.#planned) {
      if (this.#done.has(taskId)) continue;
      for (const trialIndex of this.#open.get(taskId)?.awaited ?? trialIndexes)
        yield { taskId, taskIndex, trialIndex };
    }
  }

  /** Null when all trials of the task have come. */
  #bookOf({ task: { id }, trialIndexes }: PlannedTask): TaskBook | null {
    if (this.#done.has(id)) return null;
    const book = this.#open.get(id) ?? { awaited: new Set(trialIndexes), ids: new Set() };
    this.#open.set(id, book);
    return book;
  }

  #close(taskId: string): void {
    this.#open.delete(taskId);
    this.#done.add(taskId);
  }

  /** Ids are unique in a task, for scores and evidence are found by them: a second one gets its index behind it. */
  #withOwnId(trial: Trial, { ids }: TaskBook): Trial {
    let { id } = trial;
    while (ids.has(id) || this.#isTaken(trial.taskId, id, trial.trialIndex))
      id = `${id}#${trial.trialIndex}`;
    ids.add(id);
    return id === trial.id ? trial : { ...trial, id };
  }
}
