import { z } from "zod";

import { parseValue } from "../../schema/codec.ts";
import { jsonObject, jsonValue } from "../../schema/free-form.ts";
import type { Measurements } from "../../schema/trial.ts";
import { formatRow, type JsonObject, type JsonValue } from "../../support/json.ts";

/** One step of an agent, as a runner or an agent tells it. */
export interface StepDraft {
  /** Default `agent`. The steps of others have a message and observations; what else is said of them is kept as `extra`. */
  readonly source?: "system" | "user" | "agent";
  readonly message?: string | null;
  readonly reasoning?: string | null;
  readonly model?: string | null;
  readonly toolCalls?: readonly ToolCallDraft[] | null;
  /** What the tools answered. */
  readonly observations?: readonly ObservationDraft[] | null;
  /** Cached ones included. Of all counts, only those that are whole and not negative are kept. */
  readonly promptTokens?: number | null;
  readonly completionTokens?: number | null;
  readonly cachedTokens?: number | null;
  readonly costUsd?: number | null;
}

export interface ToolCallDraft {
  readonly id?: string | null;
  readonly name: string;
  readonly arguments?: JsonObject | null;
}

export interface ObservationDraft {
  /** The call that it answers. */
  readonly callId?: string | null;
  /** A text; other data are written as JSON text. */
  readonly content: JsonValue;
  /** What is known of the answer beside its content. */
  readonly extra?: JsonObject | null;
}

const text = () => z.string().nullable().optional();
/** NaN too: what is no count is left out, and must not cost an attempt. */
const number = () =>
  z
    .custom<number>((value) => typeof value === "number", "expected a number")
    .nullable()
    .optional();

const stepSchema = z.strictObject({
  source: z.enum(["system", "user", "agent"]).optional(),
  message: text(),
  reasoning: text(),
  model: text(),
  toolCalls: z
    .array(
      z.strictObject({
        id: text(),
        name: z.string(),
        arguments: jsonObject().nullable().optional(),
      }),
    )
    .nullable()
    .optional(),
  observations: z
    .array(
      z.strictObject({
        callId: text(),
        content: jsonValue(),
        extra: jsonObject().nullable().optional(),
      }),
    )
    .nullable()
    .optional(),
  promptTokens: number(),
  completionTokens: number(),
  cachedTokens: number(),
  costUsd: number(),
});

type Step = z.output<typeof stepSchema>;

export interface TrajectorySession {
  readonly id: string;
  readonly agent: string;
  readonly version: string | null;
  /** The model of steps that name none. */
  readonly model?: string | null;
  /** Of the whole attempt. */
  readonly usage?: Pick<
    Measurements,
    "promptTokens" | "completionTokens" | "cacheReadTokens" | "costUsd"
  >;
}

/** Steps that do not fit in are counted, not kept: the document stays below what one file of evidence may take. */
const maxSteps = 100_000;
const maxBytes = 32 * 1024 * 1024;

/** The version of the format that is written. */
const schemaVersion = "ATIF-v1.7";

/** Collects steps and gives them as an ATIF document that strict readers of the format accept. */
export class TrajectoryRecorder {
  /** As text: what an agent does to its objects later changes nothing here. */
  readonly #steps: string[] = [];
  #bytes = 0;
  #dropped = 0;

  /** `instant` is ISO 8601; null when it is not known. Throws `ASSAY_CONFIG_INVALID` for what is no step. */
  add(step: StepDraft, instant: string | null): void {
    const text = this.#steps.length < maxSteps ? this.#textOf(step, instant) : null;
    const bytes = text === null ? Number.POSITIVE_INFINITY : Buffer.byteLength(text);
    if (text === null || this.#bytes + bytes > maxBytes) {
      this.#dropped += 1;
      return;
    }
    this.#steps.push(text);
    this.#bytes += bytes;
  }

  get isEmpty(): boolean {
    return this.#steps.length + this.#dropped === 0;
  }

  /** Null when it is longer than a string can be. */
  #textOf(step: StepDraft, instant: string | null): string | null {
    try {
      return formatRow(
        atifStep(parseValue(stepSchema, step, { source: "step" }), this.#steps.length + 1, instant),
      );
    } catch (thrown) {
      if (thrown instanceof RangeError) return null;
      throw thrown;
    }
  }

  /** The text of the document. */
  format({ id, agent, version, model, usage }: TrajectorySession): string {
    const head = formatRow({
      schema_version: schemaVersion,
      session_id: id,
      agent: { name: agent, version: version ?? "unknown", model_name: model ?? undefined },
      final_metrics: {
        total_prompt_tokens: usage?.promptTokens ?? undefined,
        total_completion_tokens: usage?.completionTokens ?? undefined,
        total_cached_tokens: usage?.cacheReadTokens ?? undefined,
        total_cost_usd: usage?.costUsd ?? undefined,
        total_steps: this.#steps.length + this.#dropped,
      },
      ...(this.#dropped > 0 ? { extra: { dropped_steps: this.#dropped } } : {}),
    });
    return `${head.slice(0, -1)},"steps":[${this.#steps.join(",") || nothingKept}]}`;
  }
}

/** A document needs a step. */
const nothingKept = formatRow({
  step_id: 1,
  source: "system",
  message: "No step was kept: the first was too large.",
});

// Keys without a value are left out when they are written.

function atifStep(step: Step, stepId: number, timestamp: string | null): object {
  const { source = "agent" } = step;
  const calls = step.toolCalls?.map(({ id, name, arguments: given }, index) => ({
    tool_call_id: id ?? `call_${stepId}_${index}`,
    function_name: name,
    arguments: given ?? {},
  }));
  const ids = new Set(source === "agent" ? calls?.map(({ tool_call_id: id }) => id) : []);
  const results = step.observations?.map((one) => observationResult(one, ids));
  const ofAgent = {
    model_name: step.model ?? undefined,
    reasoning_content: step.reasoning ?? undefined,
    tool_calls: calls,
    metrics: stepMetrics(step),
  };
  const isSaid = Object.values(ofAgent).some((value) => value !== undefined);
  return {
    step_id: stepId,
    timestamp: timestamp ?? undefined,
    source,
    message: step.message ?? "",
    ...(source === "agent" ? ofAgent : { extra: isSaid ? ofAgent : undefined }),
    observation: results === undefined ? undefined : { results },
  };
}

/** An answer to a call that the step does not have names it beside: the format knows calls of the same step only. */
function observationResult(
  { callId, content, extra }: NonNullable<Step["observations"]>[number],
  ids: ReadonlySet<string>,
): object {
  const id = callId ?? undefined;
  const isKnown = id !== undefined && ids.has(id);
  return {
    source_call_id: isKnown ? id : undefined,
    content: typeof content === "string" ? content : formatRow(content),
    extra: id === undefined || isKnown ? (extra ?? undefined) : { ...extra, call_id: id },
  };
}

function stepMetrics(step: Step): object | undefined {
  const metrics = {
    prompt_tokens: countOf(step.promptTokens),
    completion_tokens: countOf(step.completionTokens),
    cached_tokens: countOf(step.cachedTokens),
    cost_usd: Number.isFinite(step.costUsd) ? step.costUsd : undefined,
  };
  return Object.values(metrics).every((value) => value === undefined) ? undefined : metrics;
}

function countOf(value: number | null | undefined): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
