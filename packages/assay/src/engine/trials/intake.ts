import type { Trial, TrialPlan } from "../../contracts/runner.ts";
import { messageOf } from "../../errors/assay-error.ts";
import { parseValue } from "../../schema/codec.ts";
import { type TrialError, trialRecordSchema } from "../../schema/trial.ts";

interface TaskBook {
  readonly taskIndex: number;
  readonly planned: ReadonlySet<number>;
  readonly seen: Set<number>;
}

export interface MissingTrial {
  readonly taskId: string;
  readonly taskIndex: number;
  readonly trialIndex: number;
}

/** Keeps count of what was planned and what came. Only planned trials are taken, each once. */
export class Intake {
  readonly #books = new Map<string, TaskBook>();

  constructor(plan: TrialPlan) {
    for (const { task, taskIndex, trialIndexes } of plan.tasks) {
      this.#books.set(task.id, { taskIndex, planned: new Set(trialIndexes), seen: new Set() });
    }
  }

  /** The index of the trial's task, or why the trial is dropped. */
  take(trial: Trial): { readonly taskIndex: number } | { readonly dropped: string } {
    const book = this.#books.get(trial.taskId);
    if (book === undefined)
      return { dropped: `trial "${trial.id}" of the unknown task "${trial.taskId}"` };
    if (!book.planned.has(trial.trialIndex))
      return { dropped: `trial "${trial.id}": index ${trial.trialIndex} was not planned` };
    if (book.seen.has(trial.trialIndex))
      return { dropped: `trial "${trial.id}": index ${trial.trialIndex} came a second time` };
    book.seen.add(trial.trialIndex);
    return { taskIndex: book.taskIndex };
  }

  *missing(): Iterable<MissingTrial> {
    for (const [taskId, { taskIndex, planned, seen }] of this.#books) {
      for (const trialIndex of planned)
        if (!seen.has(trialIndex)) yield { taskId, taskIndex, trialIndex };
    }
  }
}

/** A trial of the right shape: one that a runner got wrong becomes a failed trial that says what was wrong. */
export function validTrial(trial: Trial, occurredAt: string): Trial {
  const { trialIndex, attempts, scratchDirectory, ...record } = trial;
  const extra = {
    trialIndex,
    ...(attempts === undefined ? {} : { attempts }),
    ...(scratchDirectory === undefined ? {} : { scratchDirectory }),
  };
  try {
    return {
      ...parseValue(trialRecordSchema, record, { source: `trial "${String(trial.id)}"` }),
      ...extra,
    };
  } catch (thrown) {
    const error: TrialError = {
      type: "RunnerError",
      message: messageOf(thrown),
      traceback: null,
      occurredAt,
    };
    return {
      ...failedTrial({ id: String(trial.id || "trial"), taskId: trial.taskId, trialIndex, error }),
      ...extra,
    };
  }
}

export function failedTrial(facts: {
  readonly id: string;
  readonly taskId: string;
  readonly trialIndex: number;
  readonly error: TrialError;
}): Trial {
  const { trialIndex, ...record } = facts;
  return {
    ...trialRecordSchema.parse({ ...record, status: "failed", metadata: { agent_ok: false } }),
    trialIndex,
  };
}
