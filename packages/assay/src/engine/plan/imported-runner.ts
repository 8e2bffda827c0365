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
import type { Aggregate } from "../../schema/summary.ts";
import type { JsonObject } from "../../support/json.ts";
import { listNames } from "../../support/names.ts";
import { formatInstant } from "../../support/timestamps.ts";
import type { ImportedTrials } from "../imported-trials.ts";
import type { ImportSource } from "../suite/suite.ts";

/** Trials that exist already, as a target: nothing is run. */
export class ImportedRunner implements AgentTaskRunner {
  readonly contractVersion = 1;
  readonly trials: ImportedTrials;
  readonly #from: ImportSource | null;

  constructor(trials: ImportedTrials, from: ImportSource | null) {
    this.trials = trials;
    this.#from = from;
  }

  runnerInfo(): RunnerInfo {
    return { name: "imported", kind: "imported", version: null, config: this.#config() };
  }

  /** Where the trials lie and how they were read shapes nothing; which they are does. */
  effectiveOptions(): EffectiveOptions {
    const config = this.#config();
    const shaping = this.#from?.identity ?? {};
    const keys = Object.keys(config);
    return {
      config,
      shaping,
      origins: Object.fromEntries(keys.map((key) => [key, "suite" as const])),
      roles: Object.fromEntries(
        keys.map((key) => [key, Object.hasOwn(shaping, key) ? "shapes" : "operational"]),
      ),
    };
  }

  #config(): JsonObject {
    if (this.#from === null) return {};
    const { source, reading = {}, identity } = this.#from;
    return { ...(source === null ? {} : { source }), ...reading, ...identity };
  }

  targetFacts(): TargetFacts {
    return unknownFacts("the trials are imported: nothing was run");
  }

  async *runTasks(plan: TrialPlan, context: RunContext): AsyncIterable<Trial> {
    const planned = new Set(plan.tasks.map(({ task }) => task.id));
    for await (const trial of this.trials.read(plan, context)) {
      if (planned.has(trial.taskId))
        yield { ...trial, attempts: [importedAt(context.clock.now())] };
    }
  }

  runAggregateScores(): readonly Aggregate[] {
    return this.trials.aggregates;
  }
}

/** Nothing was tried: the row keeps the trial's place, and what it cost was counted where it was made. */
function importedAt(now: Date) {
  const startedAt = formatInstant(now);
  return { cause: "imported", fault: "none", startedAt, durationMs: null } as const;
}

const shownTasks = 10;

/** Every trial has its task, every selected task its trial: otherwise nothing is scored. */
export function checkImported(
  { byTask }: ImportedTrials,
  tasks: { readonly known: readonly string[]; readonly selected: readonly string[] },
): void {
  const known = new Set(tasks.known);
  for (const [taskId, { firstId }] of byTask) {
    if (known.has(taskId)) continue;
    throw new AssayError(
      "ASSAY_TRIALS_INVALID",
      `imported trial "${firstId ?? ""}" belongs to task "${taskId}", which the suite does not have`,
    );
  }
  const missing = tasks.selected.filter((id) => !byTask.has(id)).sort();
  if (missing.length === 0) return;
  const ids = missing.map((id) => `"${id}"`);
  throw new AssayError(
    "ASSAY_TRIALS_INVALID",
    `there is no imported trial of ${listNames(ids, shownTasks)}`,
  );
}
