import { parseJson } from "../../support/json.ts";
import type { StepDraft } from "../define/trajectory.ts";
import type { UsageDraft } from "../define/usage.ts";
import { type CodexEvent, type CodexItem, type CodexUsage, codexEventSchema } from "./events.ts";

const maxObservationCharacters = 64 * 1024;

/** Where what the stream says goes, while it comes. */
export interface EventSinks {
  step(step: StepDraft): void;
  addUsage(usage: UsageDraft): void;
}

/** What the whole stream said. */
export interface StreamFacts {
  readonly threadId: string | null;
  readonly lastMessage: string | null;
  /** Text of `turn.failed`, the only event that means failure. */
  readonly failure: string | null;
  readonly warnings: readonly string[];
  readonly turnCount: number;
  readonly commandCount: number;
  readonly reasoningTokens: number | null;
  readonly malformedLineCount: number;
}

/** Reads the event stream line by line. A line that is no event is counted, never fatal. */
export class EventReader {
  readonly #sinks: EventSinks;
  readonly #warnings: string[] = [];
  #threadId: string | null = null;
  #lastMessage: string | null = null;
  #failure: string | null = null;
  #turns = 0;
  #commands = 0;
  #reasoning: number | null = null;
  #malformed = 0;

  constructor(sinks: EventSinks) {
    this.#sinks = sinks;
  }

  readLine(line: string): void {
    if (line.trim() === "") return;
    const event = parseEvent(line);
    if (event === null) this.#malformed += 1;
    else this.#read(event);
  }

  get facts(): StreamFacts {
    return {
      threadId: this.#threadId,
      lastMessage: this.#lastMessage,
      failure: this.#failure,
      warnings: this.#warnings,
      turnCount: this.#turns,
      commandCount: this.#commands,
      reasoningTokens: this.#reasoning,
      malformedLineCount: this.#malformed,
    };
  }

  #read(event: CodexEvent): void {
    switch (event.type) {
      case "thread.started":
        this.#threadId = event.thread_id ?? null;
        return;
      case "turn.completed":
        this.#turns += 1;
        this.#failure = null;
        this.#addUsage(event.usage);
        return;
      case "turn.failed":
        this.#failure = event.error?.message ?? "the turn failed";
        this.#addUsage(event.usage);
        return;
      case "error":
        // A good run has these too, while it reconnects.
        this.#warn(event.message);
        return;
      case "item.completed":
        if (event.item !== undefined) this.#readItem(event.item);
        return;
      default:
        return;
    }
  }

  #readItem(item: CodexItem): void {
    if (item.type === "agent_message") this.#lastMessage = item.text ?? "";
    if (item.type === "command_execution") this.#commands += 1;
    if (item.type === "error") this.#warn(item.message);
    else this.#sinks.step(stepOf(item));
  }

  #addUsage(usage: CodexUsage | undefined): void {
    if (usage === undefined) return;
    this.#sinks.addUsage({
      promptTokens: usage.input_tokens ?? null,
      completionTokens: usage.output_tokens ?? null,
      cacheReadTokens: usage.cached_input_tokens ?? null,
      cacheCreationTokens: usage.cache_write_input_tokens ?? null,
    });
    if (usage.reasoning_output_tokens !== undefined) {
      this.#reasoning = (this.#reasoning ?? 0) + usage.reasoning_output_tokens;
    }
  }

  #warn(message: string | undefined): void {
    if (message !== undefined && this.#warnings.length < 20) this.#warnings.push(message.slice(0, 1000));
  }
}

function parseEvent(line: string): CodexEvent | null {
  try {
    const parsed = codexEventSchema.safeParse(parseJson(line, "event"));
    return parsed.success ? parsed.data : null;
  } catch {
    // Counted by the caller: the raw line is kept in stdout.jsonl.
    return null;
  }
}

function stepOf(item: CodexItem): StepDraft {
  switch (item.type) {
    case "agent_message":
      return { message: item.text ?? "" };
    case "reasoning":
      return { reasoning: item.text ?? "" };
    case "command_execution":
      return toolStep("shell", { command: item.command ?? "" }, { output: cut(item.aggregated_output ?? ""), exit_code: item.exit_code ?? null }, item);
    case "file_change":
      return toolStep("apply_patch", { changes: (item.changes ?? []).map(({ path, kind = "" }) => ({ path, kind })) }, { status: item.status ?? "" }, item);
    case "mcp_tool_call":
      return toolStep(`${item.server ?? "mcp"}__${item.tool ?? "tool"}`, { input: cut(JSON.stringify(item.arguments ?? {})) }, { output: cut(JSON.stringify(item.result ?? null)) }, item);
    default:
      return { message: cut(JSON.stringify(item)) };
  }
}

function toolStep(
  name: string,
  args: NonNullable<NonNullable<StepDraft["toolCalls"]>[number]["arguments"]>,
  content: NonNullable<StepDraft["observations"]>[number]["content"],
  { id }: CodexItem,
): StepDraft {
  const callId = id === undefined ? {} : { callId: id };
  return {
    toolCalls: [{ ...(id === undefined ? {} : { id }), name, arguments: args }],
    observations: [{ ...callId, content }],
  };
}

function cut(text: string): string {
  return text.length <= maxObservationCharacters ? text : `${text.slice(0, maxObservationCharacters)}… (${text.length} characters)`;
}
