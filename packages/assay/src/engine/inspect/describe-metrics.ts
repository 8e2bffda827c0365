import type { MetricMap } from "../../metrics/map.ts";

export interface MetricDescription {
  /** As in YAML: `{ type: exact-match }`. */
  readonly type: string;
  readonly description: string;
  /** JSON Schema of its settings, as YAML writes them. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Every metric with its settings. */
export async function describeMetrics(metrics: MetricMap): Promise<MetricDescription[]> {
  const factories = await Promise.all(Object.values(metrics).map((load) => load()));
  return factories.map((factory) => ({
    type: factory.type,
    description: factory.description,
    schema: factory.jsonSchema(),
  }));
}
