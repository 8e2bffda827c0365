import { cutMark } from "../../support/cut-text.ts";
import { isPlainObject, type JsonObject, parseJson } from "../../support/json.ts";
import type { StepDraft } from "../define/trajectory.ts";
import type { UsageDraft } from "../define/usage.ts";
import { type ModelData, type ModelUsage, type RunItem, runEventSchema } from "./events.ts";

const maxObservationCharacters = 64 * 1024;

/** Where what the run says goes, while it comes. */
export interface RunSinks {
  step(step: StepDraft): void;
  addUsage(usage: UsageDraft): void;
  /** Done to texts before they are cut. */
  redact(text: string): string;
}

export interface RunFacts {
  /** Answers of the model that came whole. */
  readonly turnCount: number;
  readonly toolCallCount: number;
  readonly servedModel: string | null;
  /** An answer began that did not end: the connection was lost. */
  readonly isAnswerCut: boolean;
  /** What the agent said last. */
  readonly lastMessage: string | null;
}

/** Reads the events of a run one by one: what came before a time limit counts. */
export class RunReader {
  readonly #sinks: RunSinks;
  readonly #items: unknown[] = [];
  /** Tool calls without an answer yet, by id. */
  readonly #open = new Map<string, RunItem>();
  #turns = 0;
  #calls = 0;
  #served: string | null = null;
  #isAnswering = false;
  #lastMessage: string | null = null;

  constructor(sinks: RunSinks) {
    this.#sinks = sinks;
  }

  /** The items of the run, as the library gave them. */
  get items(): readonly unknown[] {
    return this.#items;
  }

  read(given: unknown): void {
    const parsed = runEventSchema.safeParse(given);
    if (!parsed.success) return;
    const { type, item, data } = parsed.data;
    if (type === "raw_model_stream_event" && data !== undefined) this.#readModel(data);
    if (type !== "run_item_stream_event" || item === undefined) return;
    this.#items.push((given as { readonly item: unknown }).item);
    this.#readItem(item);
  }

  /** A call that was going on when the run ended is a step too. */
  end(): RunFacts {
    for (const call of this.#open.values()) this.#sinks.step(callStep(call));
    this.#open.clear();
    return {
      turnCount: this.#turns,
      toolCallCount: this.#calls,
      servedModel: this.#served,
      isAnswerCut: this.#isAnswering,
      lastMessage: this.#lastMessage,
    };
  }

  #readModel({ type, response, event }: ModelData): void {
    this.#served = event?.response?.model ?? event?.model ?? this.#served;
    if (type === "response_started") this.#isAnswering = true;
    if (type !== "response_done") return;
    this.#isAnswering = false;
    this.#turns += 1;
    if (response?.usage !== undefined) this.#sinks.addUsage(usageOf(response.usage));
  }

  #readItem(item: RunItem): void {
    const { type, rawItem } = item;
    const id = rawItem?.callId;
    switch (type) {
      case "message_output_item":
        this.#lastMessage = messageOf(item);
        this.#sinks.step({ message: this.#lastMessage });
        return;
      case "reasoning_item":
        this.#sinks.step({ reasoning: textsOf(rawItem?.rawContent ?? rawItem?.content) });
        return;
      case "tool_call_item":
        this.#calls += 1;
        if (id === undefined) this.#sinks.step(callStep(item));
        else this.#open.set(id, item);
        return;
      case "tool_call_output_item": {
        const call = id === undefined ? undefined : this.#open.get(id);
        if (id !== undefined) this.#open.delete(id);
        const observation = { content: this.#cut(outputOf(item)) };
        this.#sinks.step({
          ...(call === undefined ? {} : callStep(call)),
          observations: [{ ...observation, ...(id === undefined ? {} : { callId: id }) }],
        });
        return;
      }
      default:
        return;
    }
  }

  #cut(text: string): string {
    if (text.length <= maxObservationCharacters) return text;
    const kept = this.#sinks.redact(text).slice(0, maxObservationCharacters);
    return `${kept}${cutMark} (${text.length} characters)`;
  }
}

/** The text of a message, or the refusal in its place. */
function messageOf({ rawItem }: RunItem): string {
  return (rawItem?.content ?? []).map(({ text, refusal }) => text ?? refusal ?? "").join("");
}

function textsOf(content: NonNullable<RunItem["rawItem"]>["content"]): string {
  return (content ?? []).map(({ text }) => text ?? "").join("\n");
}

function outputOf({ output }: RunItem): string {
  return typeof output === "string" ? output : JSON.stringify(output ?? null);
}

function callStep({ rawItem }: RunItem): StepDraft {
  const { callId, name = "tool", arguments: text = "" } = rawItem ?? {};
  const call = { name, arguments: argumentsOf(text) };
  return { toolCalls: [callId === undefined ? call : { ...call, id: callId }] };
}

/** What a model writes for arguments need not be JSON. */
function argumentsOf(text: string): JsonObject {
  try {
    const parsed = parseJson(text, "arguments");
    if (isPlainObject(parsed)) return parsed as JsonObject;
  } catch {
    // Kept as it is, below.
  }
  return { input: text };
}

function usageOf({ inputTokens, outputTokens, totalTokens, inputTokensDetails }: ModelUsage) {
  const details = [inputTokensDetails ?? {}].flat() as Readonly<Record<string, unknown>>[];
  const counts = details.flatMap(({ cached_tokens: count }) =>
    typeof count === "number" ? [count] : [],
  );
  return {
    promptTokens: inputTokens ?? null,
    completionTokens: outputTokens ?? null,
    totalTokens: totalTokens ?? null,
    cacheReadTokens: counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0),
  };
}
