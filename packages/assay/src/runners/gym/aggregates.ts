import { type Aggregate, aggregateSchema, rangeAggregateSchema } from "../../schema/summary.ts";
import { getOwn, isPlainObject } from "../../support/json.ts";

const statistics = ["mean", "max", "min", "median", "std"] as const;
type Statistic = (typeof statistics)[number];
type Family = Partial<Record<Statistic, number>>;

interface AgentMetrics {
  readonly agent: string;
  readonly metrics: Record<string, unknown>;
}

/**
 * Gym's figures over all rollouts, from its aggregate metrics: names begin `runner.gym.`, with the agent's behind it
 * where there are several. The reward itself is left out, for its metric is aggregated already; so is all that is no
 * finite number. What is no such document gives none.
 */
export function gymAggregates(document: unknown): readonly Aggregate[] {
  const agents = agentMetricsOf(document);
  const isOne = agents.length === 1;
  return agents.flatMap(({ agent, metrics }) =>
    aggregatesOf(metrics, isOne ? "runner.gym" : `runner.gym.${agent}`),
  );
}

function agentMetricsOf(document: unknown): readonly AgentMetrics[] {
  if (!Array.isArray(document)) return [];
  const agents: AgentMetrics[] = [];
  for (const entry of document) {
    const reference: unknown = isPlainObject(entry) ? getOwn(entry, "agent_ref") : undefined;
    const agent = isPlainObject(reference) ? getOwn(reference, "name") : undefined;
    const metrics: unknown = isPlainObject(entry) ? getOwn(entry, "agent_metrics") : undefined;
    if (typeof agent === "string" && agent !== "" && isPlainObject(metrics))
      agents.push({ agent, metrics });
  }
  return agents.sort((a, b) => (a.agent < b.agent ? -1 : a.agent > b.agent ? 1 : 0));
}

function aggregatesOf(metrics: Record<string, unknown>, prefix: string): readonly Aggregate[] {
  const families = new Map<string, Family>();
  const others: Aggregate[] = [];
  for (const [key, value] of Object.entries(metrics)) {
    if (typeof value !== "number" || !Number.isFinite(value)) continue;
    const { statistic, metric } = partsOf(key);
    if (metric === "reward" || key === "reward") continue;
    if (statistic === null) others.push(scalar(`${prefix}.${key}`, value));
    else families.set(metric, { ...families.get(metric), [statistic]: value });
  }
  return [
    ...[...families].flatMap(([metric, family]) => familyAggregates(prefix, metric, family)),
    ...others,
  ];
}

/** `mean/turns` is the mean of turns; `pass@1/accuracy` is no statistic. */
function partsOf(key: string): { readonly statistic: Statistic | null; readonly metric: string } {
  const at = key.indexOf("/");
  const statistic = statistics.find((name) => name === key.slice(0, at));
  return at < 0 || statistic === undefined
    ? { statistic: null, metric: key }
    : { statistic, metric: key.slice(at + 1) };
}

function familyAggregates(prefix: string, metric: string, family: Family): readonly Aggregate[] {
  const { mean, min, max, median, std } = family;
  if (
    mean === undefined ||
    min === undefined ||
    max === undefined ||
    median === undefined ||
    std === undefined
  ) {
    return statistics.flatMap((statistic) => {
      const value = family[statistic];
      return value === undefined ? [] : [scalar(`${prefix}.${statistic}/${metric}`, value)];
    });
  }
  const sampleVariance = std * std;
  return [
    rangeAggregateSchema.parse({
      name: `${prefix}.${metric}`,
      scoreType: "range",
      mean,
      min,
      max,
      median,
      // Gym's is the one with n-1.
      sampleStdDev: std,
      sampleVariance: Number.isFinite(sampleVariance) ? sampleVariance : null,
    }),
  ];
}

function scalar(name: string, value: number): Aggregate {
  return aggregateSchema.parse({ name, scoreType: "scalar", value });
}
