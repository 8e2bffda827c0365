import type { JsonObject, JsonValue } from "../../packages/assay/src/support/json.ts";

/** A call of a tool in an ATIF step. */
export function toolCall(name: string, given: JsonObject | null = {}): JsonObject {
  return { tool_call_id: `call-${name}`, function_name: name, arguments: given };
}

/** Inline ATIF evidence with one step of the agent; `more` is laid over the step. */
export function atifTrace(more: JsonObject): JsonObject {
  return atifSteps([{ step_id: 1, source: "agent", message: "", ...more }]);
}

export function atifSteps(steps: readonly JsonObject[]): JsonObject {
  return { kind: "trace", format: "atif", data: { schema_version: "ATIF-v1.7", steps } };
}

/** Inline OTLP evidence with one span for each list of attributes. */
export function otlpTrace(...spans: readonly Readonly<Record<string, string>>[]): JsonObject {
  const written: JsonValue[] = spans.map((attributes, index) => ({
    spanId: String(index),
    attributes: Object.entries(attributes).map(([key, text]) => ({
      key,
      value: { stringValue: text },
    })),
  }));
  return {
    kind: "trace",
    format: "otlp",
    data: { resourceSpans: [{ scopeSpans: [{ spans: written }] }] },
  };
}
