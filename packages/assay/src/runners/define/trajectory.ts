import { formatRow, type JsonObject, type JsonValue } from "../../support/json.ts";

/** One step of an agent, as a runner or an agent tells it. */
export interface StepDraft {
  readonly source?: "system" | "user" | "agent";
  readonly message?: string;
  readonly reasoning?: string;
  readonly model?: string;
  readonly toolCalls?: readonly {
    readonly id?: string;
    readonly name: string;
    readonly arguments?: JsonObject;
  }[];
  /** What the tools answered. */
  readonly observations?: readonly { readonly callId?: string; readonly content: JsonValue }[];
  readonly promptTokens?: number;
  readonly completionTokens?: number;
}

export interface TrajectorySession {
  readonly id: string;
  readonly agent: string;
  readonly version: string | null;
}

/** Steps that do not fit in are counted, not kept: the document stays below what one file of evidence may take. */
const maxSteps = 100_000;
const maxBytes = 32 * 1024 * 1024;

/** Collects steps and gives them as an ATIF document. */
export class TrajectoryRecorder {
  /** As text: what an agent does to its objects later changes nothing here. */
  readonly #steps: string[] = [];
  #bytes = 0;
  #dropped = 0;

  /** Throws for a step that is no JSON data. */
  add(step: StepDraft, instant: string): void {
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
  #textOf(step: StepDraft, instant: string): string | null {
    try {
      return formatRow(atifStep(step, this.#steps.length + 1, instant));
    } catch (thrown) {
      if (thrown instanceof RangeError) return null;
      throw thrown;
    }
  }

  /** The text of the document. */
  format({ id, agent, version }: TrajectorySession): string {
    const head = formatRow({
      schema_version: "ATIF-v1.4",
      session_id: id,
      agent: { name: agent, version: version ?? "unknown" },
      ...(this.#dropped > 0 ? { extra: { dropped_steps: this.#dropped } } : {}),
    });
    return `${head.slice(0, -1)},"steps":[${this.#steps.join(",")}]}`;
  }
}

function atifStep(step: StepDraft, stepId: number, timestamp: string): object {
  const calls = step.toolCalls?.map(({ id, name, arguments: args }, index) => ({
    tool_call_id: id ?? `call_${stepId}_${index}`,
    function_name: name,
    arguments: args ?? {},
  }));
  const results = step.observations?.map(({ callId, content }) => ({
    source_call_id: callId,
    content,
  }));
  const hasTokens = step.promptTokens !== undefined || step.completionTokens !== undefined;
  // Keys without a value are left out when it is written.
  return {
    step_id: stepId,
    timestamp,
    source: step.source ?? "agent",
    message: step.message ?? "",
    reasoning_content: step.reasoning,
    model_name: step.model,
    tool_calls: calls,
    observation: results === undefined ? undefined : { results },
    metrics: hasTokens
      ? {
          prompt_tokens: step.promptTokens ?? null,
          completion_tokens: step.completionTokens ?? null,
        }
      : undefined,
  };
}
