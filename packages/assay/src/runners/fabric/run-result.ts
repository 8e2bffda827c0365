import { z } from "zod";

import type { JsonObject, JsonValue } from "../../support/json.ts";
import { isJson } from "../../support/json.ts";

const text = () => z.string().nullable().catch(null);

const errorSchema = z.looseObject({
  stage: text(),
  code: text(),
  message: z.string().catch(""),
  retryable: z.boolean().catch(false),
});

const artifactSchema = z.looseObject({
  name: z.string().min(1),
  kind: z.string().catch("file"),
  path: z.string().min(1),
  media_type: text(),
});

const telemetrySchema = z.looseObject({
  provider: z.string().catch("unknown"),
  kind: z.string().catch("trace"),
  uri: text(),
  trace_id: text(),
});

const count = () => z.int().nonnegative().nullable().catch(null);

const usageSchema = z.looseObject({
  input_tokens: count(),
  cached_input_tokens: count(),
  input_tokens_include_cache: z.boolean().nullable().catch(null),
  output_tokens: count(),
  total_tokens: count(),
  cost_usd: z.number().nonnegative().nullable().catch(null),
});

/** Entries of a list that have the shape; the others are left out. */
function listOf<T extends z.ZodType>(item: T) {
  return z
    .array(z.unknown())
    .catch([])
    .transform((items) =>
      items.flatMap((entry) => {
        const parsed = item.safeParse(entry);
        return parsed.success ? [parsed.data] : [];
      }),
    );
}

/** Newer results have a list; older ones one object that says whether Relay was on. */
const telemetryList = z.preprocess((value) => {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  const { metadata, relay_enabled: isOn } = value as Record<string, unknown>;
  const facts = (metadata ?? {}) as Record<string, unknown>;
  if (isOn !== true) return [];
  return [
    {
      provider: "relay",
      kind: "trace",
      uri: facts["relay_output_dir"],
      trace_id: facts["trace_id"],
    },
  ];
}, listOf(telemetrySchema));

/** A result of Fabric as this runner reads it: what it does not know is left alone, what is odd beside the status is not read. */
export const runResultSchema = z.looseObject({
  status: z.enum(["succeeded", "failed", "cancelled"]),
  agent_name: text(),
  harness: text(),
  adapter_kind: text(),
  adapter_id: text(),
  runtime_id: text(),
  invocation_id: text(),
  request_id: text(),
  output: z
    .custom<JsonValue>(isJson)
    .nullish()
    .transform((output): JsonValue => output ?? null),
  error: errorSchema.nullable().catch(null),
  usage: usageSchema.nullable().catch(null),
  artifacts: z
    .looseObject({ artifacts: listOf(artifactSchema) })
    .catch({ artifacts: [] })
    .transform(({ artifacts }) => artifacts),
  telemetry: telemetryList,
  events: listOf(z.looseObject({ kind: z.string(), message: text() })),
});

export type RunResult = z.output<typeof runResultSchema>;
export type FabricArtifact = z.output<typeof artifactSchema>;
export type FabricError = z.output<typeof errorSchema>;

/** The first text among the usual places of a reply; an output of another shape as JSON. */
export function textOfOutput(output: JsonValue): string | null {
  if (output === null || typeof output === "string") return output;
  const isObject = typeof output === "object" && !Array.isArray(output);
  for (const key of isObject ? ["response", "output_text", "text", "message"] : []) {
    const value = (output as JsonObject)[key];
    if (typeof value === "string") return value;
  }
  return JSON.stringify(output);
}

/** What a trial records of where its result comes from. */
export function resultMetadata({
  harness,
  adapter_id,
  adapter_kind,
  invocation_id,
}: RunResult): JsonObject {
  return { harness, adapter_id, adapter_kind, invocation_id };
}

/** What a result says of its telemetry and events, for the descriptor that names it. */
export function resultFacts({ telemetry, events }: RunResult): JsonObject {
  return {
    telemetry: telemetry.map(({ provider, kind, uri, trace_id }) => ({
      provider,
      kind,
      uri,
      trace_id,
    })),
    events: events.slice(0, 100).map(({ kind, message }) => ({ kind, message })),
  };
}
