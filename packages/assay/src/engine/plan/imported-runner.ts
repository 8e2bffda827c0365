import type { AgentTaskRunner, TrialPlan } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { parseValue } from "../../schema/codec.ts";
import { type TrialRecord, type TrialRecordInput, trialRecordSchema } from "../../schema/trial.ts";

/** Where imported trials came from. */
export interface ImportSource {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}

/** Trials that exist already, as a target: nothing is run. Their order per task is their trial index. */
export interface ImportedRunner extends AgentTaskRunner {
  /** Trials per task id, in the order given. */
  readonly trialsByTask: ReadonlyMap<string, readonly TrialRecord[]>;
}

export function importedRunner(inputs: readonly TrialRecordInput[]): ImportedRunner {
  const trialsByTask = new Map<string, TrialRecord[]>();
  for (const [index, input] of inputs.entries()) {
    const trial = parseValue(trialRecordSchema, input, { source: `imported trial ${index + 1}` });
    const list = trialsByTask.get(trial.taskId) ?? [];
    list.push(trial);
    trialsByTask.set(trial.taskId, list);
  }
  return {
    contractVersion: 1,
    trialsByTask,
    runnerInfo: () => ({ name: "imported", kind: "imported", version: null, config: {} }),
    async *runTasks(plan: TrialPlan) {
      for (const { task, trialIndexes } of plan.tasks) {
        for (const trialIndex of trialIndexes) {
          const trial = trialsByTask.get(task.id)?.[trialIndex];
          if (trial !== undefined) yield { ...trial, trialIndex, attempts: [] };
        }
      }
    },
  };
}

/** Every trial has its task, every task its trial: otherwise nothing is scored. */
export function checkImported(runner: ImportedRunner, taskIds: readonly string[]): void {
  const known = new Set(taskIds);
  for (const [taskId, trials] of runner.trialsByTask) {
    if (known.has(taskId)) continue;
    throw new AssayError(
      "ASSAY_TRIALS_INVALID",
      `imported trial "${trials[0]?.id ?? ""}" belongs to task "${taskId}", which the suite does not have`,
    );
  }
  const missing = taskIds.filter((id) => !runner.trialsByTask.has(id)).sort();
  if (missing.length > 0) {
    throw new AssayError(
      "ASSAY_TRIALS_INVALID",
      `no imported trial for ${missing.length} of the tasks: ${missing.slice(0, 10).join(", ")}`,
    );
  }
}

export function isImportedRunner(runner: AgentTaskRunner): runner is ImportedRunner {
  return "trialsByTask" in runner;
}
