import { cutText } from "../../support/cut-text.ts";
import { parseForeignJson } from "../../support/foreign-json.ts";
import type { StepDraft } from "../define/trajectory.ts";
import type { UsageDraft } from "../define/usage.ts";
import { type CodexEvent, type CodexItem, type CodexUsage, codexEventSchema } from "./events.ts";
import { stepOf } from "./steps.ts";

const maxWarnings = 20;
const maxWarningCharacters = 1000;

/** Where what the stream says goes, while it comes. */
export interface EventSinks {
  step(step: StepDraft): void;
  addUsage(usage: UsageDraft): void;
  /** Done to texts before they are cut. */
  redact(text: string): string;
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
  /** Items that began and have not ended, by id. */
  readonly #open = new Map<string, CodexItem>();
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

  /** What was going on when the stream ended is a step too: after a time limit it is the interesting one. */
  end(): StreamFacts {
    for (const item of this.#open.values()) this.#finishItem(item);
    this.#open.clear();
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
      case "item.started":
      case "item.updated":
        if (event.item?.id !== undefined) this.#open.set(event.item.id, event.item);
        return;
      case "item.completed":
        if (event.item !== undefined) this.#finishItem(event.item);
        return;
      default:
        return;
    }
  }

  #finishItem(item: CodexItem): void {
    if (item.id !== undefined) this.#open.delete(item.id);
    if (item.type === "agent_message") this.#lastMessage = item.text ?? "";
    if (item.type === "command_execution") this.#commands += 1;
    if (item.type === "error") this.#warn(item.message);
    else this.#sinks.step(stepOf(item, this.#sinks.redact));
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
    if (message === undefined || this.#warnings.length >= maxWarnings) return;
    this.#warnings.push(cutText(this.#sinks.redact(message), maxWarningCharacters));
  }
}

/** An event of the stream; null for a line that is none. */
export function parseEvent(line: string): CodexEvent | null {
  try {
    const parsed = codexEventSchema.safeParse(parseForeignJson(line, "event"));
    return parsed.success ? parsed.data : null;
  } catch {
    // Counted by the caller: the raw line is kept in stdout.jsonl.
    return null;
  }
}
