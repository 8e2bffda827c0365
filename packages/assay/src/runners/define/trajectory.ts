import type { JsonObject, JsonValue } from "../../support/json.ts";

/** One step of an agent, as a runner or an agent tells it. */
export interface StepDraft {
  readonly source?: "system" | "user" | "agent";
  readonly message?: string;
  readonly reasoning?: string;
  readonly model?: string;
  readonly toolCalls?: readonly { readonly id?: string; readonly name: string; readonly arguments?: JsonObject }[];
  /** What the tools answered. */
  readonly observations?: readonly { readonly callId?: string; readonly content: JsonValue }[];
  readonly promptTokens?: number;
  readonly completionTokens?: number;
}

/** Steps beyond this many are counted, not kept. */
const maxSteps = 100_000;

/** Collects steps and gives them as an ATIF document. */
export class TrajectoryRecorder {
  readonly #steps: JsonObject[] = [];
  #dropped = 0;

  add(step: StepDraft, instant: string): void {
    if (this.#steps.length >= maxSteps) {
      this.#dropped += 1;
      return;
    }
    this.#steps.push(atifStep(step, this.#steps.length + 1, instant));
  }

  get isEmpty(): boolean {
    return this.#steps.length === 0;
  }

  toAtif(session: { readonly id: string; readonly agent: string; readonly version: string | null }): JsonObject {
    return {
      schema_version: "ATIF-v1.4",
      session_id: session.id,
      agent: { name: session.agent, version: session.version ?? "unknown" },
      steps: this.#steps,
      ...(this.#dropped > 0 ? { extra: { dropped_steps: this.#dropped } } : {}),
    };
  }
}

function atifStep(step: StepDraft, stepId: number, timestamp: string): JsonObject {
  const calls = step.toolCalls?.map(({ id, name, arguments: args }, index) => ({
    tool_call_id: id ?? `call_${stepId}_${index}`,
    function_name: name,
    arguments: args ?? {},
  }));
  const results = step.observations?.map(({ callId, content }) => ({
    ...(callId === undefined ? {} : { source_call_id: callId }),
    content,
  }));
  const hasTokens = step.promptTokens !== undefined || step.completionTokens !== undefined;
  return {
    step_id: stepId,
    timestamp,
    source: step.source ?? "agent",
    message: step.message ?? "",
    ...(step.reasoning === undefined ? {} : { reasoning_content: step.reasoning }),
    ...(step.model === undefined ? {} : { model_name: step.model }),
    ...(calls === undefined ? {} : { tool_calls: calls }),
    ...(results === undefined ? {} : { observation: { results } }),
    ...(hasTokens ? { metrics: { prompt_tokens: step.promptTokens ?? null, completion_tokens: step.completionTokens ?? null } } : {}),
  };
}
