import { type Aggregate, aggregateSchema } from "../../schema/summary.ts";

export interface AcceptedAggregates {
  readonly kept: readonly Aggregate[];
  /** Names of those that are not the runner's to give, or are no aggregates; for a warning. */
  readonly dropped: readonly string[];
}

/**
 * A runner may only give aggregates named `runner.<its name>.<...>`; one without a name, `runner.<...>`.
 * By then the run is complete, so others are dropped and named, never thrown.
 */
export function acceptRunnerAggregates(
  runnerName: string | null,
  aggregates: readonly Aggregate[],
): AcceptedAggregates {
  const prefix = runnerName === null ? "runner." : `runner.${runnerName}.`;
  const kept: Aggregate[] = [];
  const dropped: string[] = [];
  for (const aggregate of aggregates) {
    const parsed = aggregateSchema.safeParse(aggregate);
    if (parsed.success && isBelow(parsed.data.name, prefix)) kept.push(parsed.data);
    else dropped.push(nameOf(aggregate));
  }
  return { kept, dropped };
}

function isBelow(name: string, prefix: string): boolean {
  return name.startsWith(prefix) && name.length > prefix.length;
}

function nameOf(aggregate: unknown): string {
  const name = (aggregate as { name?: unknown } | null | undefined)?.name;
  return typeof name === "string" && name !== "" ? name : "(without a name)";
}
