import type {
  AgentTaskRunner,
  EffectiveOptions,
  RunContext,
  TargetFacts,
  Trial,
  TrialPlan,
} from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { unknownFacts } from "../../runners/define/target-facts.ts";
import type { RunnerInfo } from "../../schema/run-metadata.ts";
import type { TrialRecord } from "../../schema/trial.ts";
import type { JsonObject } from "../../support/json.ts";
import { formatInstant } from "../../support/timestamps.ts";
import type { ImportSource } from "../suite/suite.ts";

/** Trials that exist already, as a target: nothing is run. Their order per task is their trial index. */
export class ImportedRunner implements AgentTaskRunner {
  readonly contractVersion = 1;
  /** Trials per task id, in the order given. */
  readonly trialsByTask: ReadonlyMap<string, readonly TrialRecord[]>;

  readonly #from: ImportSource | null;

  constructor(trials: readonly TrialRecord[], from: ImportSource | null) {
    this.#from = from;
    const trialsByTask = new Map<string, TrialRecord[]>();
    for (const trial of trials) {
      const list = trialsByTask.get(trial.taskId) ?? [];
      trialsByTask.set(trial.taskId, list);
      list.push(trial);
    }
    this.trialsByTask = trialsByTask;
  }

  runnerInfo(): RunnerInfo {
    return { name: "imported", kind: "imported", version: null, config: this.#config() };
  }

  /** Where the trials lie shapes nothing; which they are does. */
  effectiveOptions(): EffectiveOptions {
    const config = this.#config();
    const keys = Object.keys(config);
    return {
      config,
      shaping: this.#from?.identity ?? {},
      origins: Object.fromEntries(keys.map((key) => [key, "suite" as const])),
      roles: Object.fromEntries(
        keys.map((key) => [key, key === "source" ? ("operational" as const) : ("shapes" as const)]),
      ),
    };
  }

  #config(): JsonObject {
    if (this.#from === null) return {};
    const { source, identity } = this.#from;
    return source === null ? identity : { source, ...identity };
  }

  targetFacts(): TargetFacts {
    return unknownFacts("the trials are imported: nothing was run");
  }

  async *runTasks({ tasks }: TrialPlan, { clock }: RunContext): AsyncIterable<Trial> {
    for (const { task, trialIndexes } of tasks) {
      for (const trialIndex of trialIndexes) {
        const trial = this.trialsByTask.get(task.id)?.[trialIndex];
        if (trial !== undefined)
          yield { ...trial, trialIndex, attempts: [importedAt(clock.now())] };
      }
    }
  }
}

/** Nothing was tried: the row keeps the trial's place, and what it cost was counted where it was made. */
function importedAt(now: Date) {
  const startedAt = formatInstant(now);
  return { cause: "imported", fault: "none", startedAt, durationMs: 0 } as const;
}

/** Every trial has its task, every selected task its trial: otherwise nothing is scored. */
export function checkImported(
  { trialsByTask }: ImportedRunner,
  tasks: { readonly known: readonly string[]; readonly selected: readonly string[] },
): void {
  const known = new Set(tasks.known);
  for (const [taskId, trials] of trialsByTask) {
    if (known.has(taskId)) continue;
    throw new AssayError(
      "ASSAY_TRIALS_INVALID",
      `imported trial "${trials[0]?.id ?? ""}" belongs to task "${taskId}", which the suite does not have`,
    );
  }
  const missing = tasks.selected.filter((id) => !trialsByTask.has(id)).sort();
  if (missing.length === 0) return;
  const shown = missing.slice(0, 10).map((id) => `"${id}"`);
  const more = missing.length > shown.length ? `, and ${missing.length - shown.length} more` : "";
  throw new AssayError(
    "ASSAY_TRIALS_INVALID",
    `there is no imported trial of ${shown.join(", ")}${more}`,
  );
}
