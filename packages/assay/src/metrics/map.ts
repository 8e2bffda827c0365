import type { Metric } from "../contracts/metric.ts";
import { AssayError } from "../errors/assay-error.ts";
import { describeKind, type JsonObject } from "../support/json.ts";
import { didYouMean } from "../support/names.ts";

/** What the map needs of a factory, whatever its settings are. */
export interface ConfiguredFactory {
  readonly type: string;
  readonly description: string;
  fromConfig(config: JsonObject, source?: string): Metric;
  jsonSchema(): Record<string, unknown>;
}

export type MetricMap = Readonly<Record<string, () => Promise<ConfiguredFactory>>>;

/** The built-in metrics by type. Each is loaded when it is used. */
export const metrics = {
  agent_phase_success: async () =>
    (await import("./agent-phase-success/index.ts")).agentPhaseSuccess,
  "command-verifier": async () => (await import("./command-verifier/index.ts")).commandVerifier,
  evidence_presence: async () => (await import("./evidence-presence/index.ts")).evidencePresence,
  "exact-match": async () => (await import("./exact-match/index.ts")).exactMatch,
  f1: async () => (await import("./f1/index.ts")).f1,
  gym_reward: async () => (await import("./gym-reward/index.ts")).gymReward,
  harbor_reward: async () => (await import("./harbor-reward/index.ts")).harborReward,
  "number-check": async () => (await import("./number-check/index.ts")).numberCheck,
  skill_used: async () => (await import("./skill-used/index.ts")).skillUsed,
  "string-check": async () => (await import("./string-check/index.ts")).stringCheck,
  "tool-calling": async () => (await import("./tool-calling/index.ts")).toolCalling,
  tool_argument_matches_input: async () =>
    (await import("./tool-argument-matches-input/index.ts")).toolArgumentMatchesInput,
  tool_call_count: async () => (await import("./tool-call-count/index.ts")).toolCallCount,
} satisfies MetricMap;

export type MetricName = keyof typeof metrics;

/**
 * The metric that `{ type, ...settings }` describes, as YAML writes it. A map of one's own may stand in for the
 * built-in one. Throws `ASSAY_NAME_UNKNOWN`, `ASSAY_CONFIG_UNKNOWN_KEY`, `ASSAY_CONFIG_INVALID`.
 */
export async function metricFromConfig(
  spec: JsonObject,
  map: MetricMap = metrics,
): Promise<Metric> {
  const { type, ...settings } = spec;
  if (typeof type !== "string") {
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      `a metric needs a \`type\`, a string, not ${describeKind(type)}`,
    );
  }
  const load = Object.hasOwn(map, type) ? map[type] : undefined;
  if (load !== undefined) return (await load()).fromConfig(settings);
  const known = Object.keys(map);
  const hint = didYouMean(type, known) || `; known: ${known.join(", ")}`;
  throw new AssayError("ASSAY_NAME_UNKNOWN", `no metric is called "${type}"${hint}`, {
    data: { name: type },
  });
}
