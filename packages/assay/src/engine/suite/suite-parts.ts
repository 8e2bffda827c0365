import type { Metric } from "../../contracts/metric.ts";
import type { AgentTaskRunner } from "../../contracts/runner.ts";
import type { ImportedTrials } from "../imported-trials.ts";
import type { TaskDraft } from "./read-tasks.ts";
import type { ImportSource, SecretDefinition } from "./suite.ts";

/** A suite in either form after its shape was checked, before its tasks were. */
export interface SuiteParts {
  readonly name: string;
  readonly tasks: AsyncIterable<TaskDraft>;
  /** The file or folder that the tasks are read from, as the suite names it; null when they stand in the suite. */
  readonly tasksFrom: string | null;
  readonly metrics: readonly Metric[];
  readonly target: AgentTaskRunner | null;
  readonly importedTrials: ImportedTrials | null;
  readonly importedFrom: ImportSource | null;
  readonly trialsPerTask: number;
  readonly concurrency: number;
  readonly scoringConcurrency: number;
  readonly failFast: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly secrets: readonly SecretDefinition[];
}

export function secretDefinitions(
  secrets: readonly (string | SecretDefinition)[],
): readonly SecretDefinition[] {
  const byName = new Map<string, SecretDefinition>();
  for (const secret of secrets) {
    const { name, allowShort = false } = typeof secret === "string" ? { name: secret } : secret;
    byName.set(name, { name, allowShort: allowShort || (byName.get(name)?.allowShort ?? false) });
  }
  return [...byName.values()];
}
