import { z } from "zod";

import type { Trajectory, TrajectoryGap, TrajectoryUsage } from "../contracts/trajectory.ts";
import { AssayError } from "../errors/assay-error.ts";
import { parseValue } from "../schema/codec.ts";
import { type OtlpResourceSpans, otlpResourceSpansSchema } from "../schema/otlp.ts";
import { isPlainObject } from "../support/json.ts";
import { attributeMap, textOf } from "./otlp-attributes.ts";
import { answerOf } from "./otlp-messages.ts";
import { inOrder, type Span, spansOf } from "./otlp-spans.ts";
import { OtlpSteps } from "./otlp-steps.ts";
import { finished, maxTrajectorySteps } from "./view.ts";

/**
 * The view of traces of OpenTelemetry: spans of models become steps with their messages and calls, spans of tools the
 * answers to these calls. Attributes of the GenAI conventions and of OpenInference are read.
 */
export function readOtlp(document: unknown, source: string): Trajectory {
  const resources = resourceSpans(document, source);
  const spans = inOrder(spansOf(resources));
  if (spans.length > maxTrajectorySteps) {
    throw invalid(source, `it has ${spans.length} spans, and may have ${maxTrajectorySteps}`);
  }
  const steps = new OtlpSteps();
  for (const span of spans) steps.add(span);
  const { list, gaps } = steps.end();
  return finished({
    format: "otlp",
    schemaVersion: null,
    sessionId: firstText(spans, ["gen_ai.conversation.id", "session.id"]),
    trajectoryId: spans.find(({ traceId }) => traceId !== "")?.traceId ?? null,
    agent: {
      name: firstText(spans, ["gen_ai.agent.name"]) ?? serviceName(resources),
      version: firstText(spans, ["gen_ai.agent.version"]),
      modelName: list.find(({ modelName }) => modelName !== null)?.modelName ?? null,
    },
    steps: list,
    finalMessage:
      answerOf(spans) ?? list.findLast(({ source: by }) => by === "agent")?.message ?? null,
    usage: usageOf(spans),
    gaps: [costGap, ...(list.length === 0 ? [stepsGap] : []), ...gaps],
    texts: () => textsOf(spans),
  });
}

const costGap: TrajectoryGap = {
  field: "usage.costUsd",
  reason: "not_in_format",
  detail: "the conventions have no attribute for costs",
};
const stepsGap: TrajectoryGap = {
  field: "steps",
  reason: "not_recorded",
  detail: "no span is one of a model or of a tool",
};

/**
 * The resource spans of one request, of a list of requests, or of a list of resource spans, in order. Requests of logs
 * and of metrics have none.
 */
function resourceSpans(document: unknown, source: string): OtlpResourceSpans[] {
  const documents: readonly unknown[] = Array.isArray(document) ? document : [document];
  const given = documents.flatMap((item): readonly unknown[] => {
    if (!isPlainObject(item)) throw invalid(source, "an entry is no object");
    if (Object.hasOwn(item, "scopeSpans")) return [item];
    const spans = item["resourceSpans"] ?? [];
    if (!Array.isArray(spans)) throw invalid(source, "resourceSpans is no list");
    return spans;
  });
  const code = "ASSAY_TRAJECTORY_INVALID";
  return parseValue(z.array(otlpResourceSpansSchema), given, { source, code });
}

function invalid(source: string, problem: string): AssayError {
  return new AssayError("ASSAY_TRAJECTORY_INVALID", `${source}: ${problem}`, { data: { source } });
}

function firstText(spans: readonly Span[], names: readonly string[]): string | null {
  for (const { attributes } of spans) {
    const text = textOf(attributes, names);
    if (text !== null) return text;
  }
  return null;
}

function serviceName(resources: readonly OtlpResourceSpans[]): string | null {
  for (const { resource } of resources) {
    const name = textOf(attributeMap(resource?.attributes ?? []), ["service.name"]);
    if (name !== null) return name;
  }
  return null;
}

/** Spans of agents repeat the sums of what is below them: only the innermost count. */
function usageOf(spans: readonly Span[]): TrajectoryUsage {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const outer = new Set<Span>();
  for (const span of spans) {
    if (span.usage === null) continue;
    let above = byId.get(span.parentSpanId);
    // A span that was met before has had its own way up marked already: this ends circles too.
    while (above !== undefined && above !== span && !outer.has(above)) {
      outer.add(above);
      above = byId.get(above.parentSpanId);
    }
  }
  const counted = spans.filter((span) => !outer.has(span));
  const sumOf = (field: "promptTokens" | "completionTokens" | "cachedTokens") =>
    counted.reduce<number | null>((sum, { usage }) => {
      const value = usage?.[field] ?? null;
      return value === null ? sum : (sum ?? 0) + value;
    }, null);
  return {
    promptTokens: sumOf("promptTokens") || null,
    completionTokens: sumOf("completionTokens") || null,
    cachedTokens: sumOf("cachedTokens"),
    costUsd: null,
  };
}

function* textsOf(spans: readonly Span[]): Generator<string> {
  for (const span of spans) yield* span.texts();
}
