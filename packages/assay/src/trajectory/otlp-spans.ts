import type { TrajectoryUsage } from "../contracts/trajectory.ts";
import type { OtlpResourceSpans, OtlpSpan } from "../schema/otlp.ts";
import { formatInstant } from "../support/timestamps.ts";
import { type Attributes, attributeMap, countOf, textOf } from "./otlp-attributes.ts";
import { stringLeaves } from "./string-leaves.ts";

/** What a span is about; of the others only answers and sums are taken. */
export type SpanKind = "model" | "tool" | "other";

export interface Span {
  readonly kind: SpanKind;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly start: bigint;
  readonly end: bigint;
  /** ISO 8601; null when it is not told. */
  readonly timestamp: string | null;
  /** With those of the event that carries the messages of a span of a model. */
  readonly attributes: Attributes;
  readonly usage: TrajectoryUsage | null;
  /** All strings in its attributes and those of its events. */
  texts(): Iterable<string>;
}

export function spansOf(resources: readonly OtlpResourceSpans[]): Span[] {
  return resources.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map(spanOf)),
  );
}

/** By start; those that began together stay as they were written. */
export function inOrder(spans: readonly Span[]): Span[] {
  return spans.toSorted((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
}

const detailsEvent = "gen_ai.client.inference.operation.details";

function spanOf(span: OtlpSpan): Span {
  const events = span.events.map(({ name, attributes }) => ({
    name,
    attributes: attributeMap(attributes),
  }));
  const own = attributeMap(span.attributes);
  const details = events.flatMap(({ name, attributes }) =>
    name === detailsEvent ? [...attributes] : [],
  );
  const attributes = new Map([...details, ...own]);
  const start = nanoseconds(span.startTimeUnixNano);
  return {
    kind: kindOf(attributes),
    name: span.name ?? "",
    traceId: span.traceId ?? "",
    spanId: span.spanId ?? "",
    parentSpanId: span.parentSpanId ?? "",
    start,
    end: nanoseconds(span.endTimeUnixNano),
    timestamp: instantOf(start),
    attributes,
    usage: usageOf(attributes),
    *texts() {
      for (const of of [own, ...events.map((event) => event.attributes)])
        for (const value of of.values()) yield* stringLeaves(value);
    },
  };
}

function nanoseconds(given: OtlpSpan["startTimeUnixNano"]): bigint {
  if (typeof given === "number") return Number.isSafeInteger(given) ? BigInt(given) : 0n;
  return typeof given === "string" && /^\d{1,20}$/.test(given) ? BigInt(given) : 0n;
}

/** The last instant that a date of JavaScript can hold, in milliseconds. */
const lastInstant = 8_640_000_000_000_000n;

function instantOf(start: bigint): string | null {
  const ms = start / 1_000_000n;
  return start === 0n || ms > lastInstant ? null : formatInstant(new Date(Number(ms)));
}

const modelOperations = new Set(["chat", "text_completion", "generate_content"]);

function kindOf(attributes: Attributes): SpanKind {
  const operation = textOf(attributes, ["gen_ai.operation.name"]) ?? "";
  const kind = textOf(attributes, ["openinference.span.kind"])?.toUpperCase() ?? "";
  if (operation === "execute_tool" || kind === "TOOL") return "tool";
  if (modelOperations.has(operation) || kind === "LLM") return "model";
  if (operation !== "" || kind !== "") return "other";
  return attributes.has("gen_ai.tool.name") || attributes.has("tool.name") ? "tool" : "other";
}

function usageOf(attributes: Attributes): TrajectoryUsage | null {
  const promptTokens = countOf(attributes, [
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt",
  ]);
  const completionTokens = countOf(attributes, [
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
  ]);
  const cachedTokens = countOf(attributes, [
    "gen_ai.usage.cache_read.input_tokens",
    "llm.token_count.prompt_details.cache_read",
  ]);
  if (promptTokens === null && completionTokens === null && cachedTokens === null) return null;
  return { promptTokens, completionTokens, cachedTokens, costUsd: null };
}
