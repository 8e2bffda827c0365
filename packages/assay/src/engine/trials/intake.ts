import type { Trial, TrialPlan } from "../../contracts/runner.ts";
import { describeKind } from "../../support/json.ts";

interface TaskBook {
  readonly taskIndex: number;
  readonly planned: readonly number[];
  /** Indexes that have not come yet. */
  readonly awaited: Set<number>;
  /** Ids of the trials that came, as long as others are awaited. */
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

/** Keeps count of what was planned and what came. Only planned trials are taken, each once. */
export class Intake {
  readonly #books = new Map<string, TaskBook>();

  constructor(plan: TrialPlan) {
    for (const { task, taskIndex, trialIndexes } of plan.tasks) {
      this.#books.set(task.id, {
        taskIndex,
        planned: trialIndexes,
        awaited: new Set(trialIndexes),
        ids: new Set(),
      });
    }
  }

  /** The trial with its place, or why it is dropped. */
  take(given: unknown): TakenTrial | { readonly dropped: string } {
    if (typeof given !== "object" || given === null)
      return { dropped: `${describeKind(given)}, which is no trial` };
    const { id, taskId, trialIndex } = given as Partial<Record<keyof Trial, unknown>>;
    const who = typeof id === "string" ? `trial "${id}"` : "a trial without an id";
    const book = this.#books.get(taskId as string);
    if (book === undefined) return { dropped: `${who} of the unknown task "${String(taskId)}"` };
    if (!book.awaited.delete(trialIndex as number)) {
      const isPlanned = book.planned.includes(trialIndex as number);
      const why = isPlanned ? "came a second time" : "was not planned";
      return { dropped: `${who} of task "${String(taskId)}": index ${String(trialIndex)} ${why}` };
    }
    const trial = withOwnId(given as Trial, book);
    const note =
      trial === given ? null : `${who} is kept as "${trial.id}": its task has one already`;
    return { trial, taskIndex: book.taskIndex, note };
  }

  *missing(): Iterable<MissingTrial> {
    for (const [taskId, { taskIndex, awaited }] of this.#books) {
      for (const trialIndex of awaited) yield { taskId, taskIndex, trialIndex };
    }
  }
}

/** Ids are unique in a task, for scores and evidence are found by them: a second one gets its index behind it. */
function withOwnId(trial: Trial, { ids, awaited }: TaskBook): Trial {
  let { id } = trial;
  while (ids.has(id)) id = `${id}#${trial.trialIndex}`;
  if (awaited.size === 0) ids.clear();
  else ids.add(id);
  return id === trial.id ? trial : { ...trial, id };
}
