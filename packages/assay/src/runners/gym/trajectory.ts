import {
  getOwn,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from "../../support/json.ts";
import {
  type StepDraft,
  TrajectoryRecorder,
  type TrajectorySession,
} from "../define/trajectory.ts";
import { outputItems, servedModel } from "./response.ts";
import { gymKeys } from "./rollout.ts";

type Draft = { -readonly [K in keyof StepDraft]: StepDraft[K] };
type ToolCall = NonNullable<StepDraft["toolCalls"]>[number];
type Observation = NonNullable<StepDraft["observations"]>[number];

/** What was said and done in a rollout, as an ATIF document; null when nothing was. When is not known. */
export function trajectoryOf(
  fields: JsonObject,
  session: Pick<TrajectorySession, "id" | "agent" | "version" | "usage">,
): string | null {
  const response = getOwn(fields, "response");
  const model = servedModel(response);
  const steps = new Steps();
  const params = getOwn(fields, gymKeys.params);
  const input = isPlainObject(params) ? getOwn(params, "input") : undefined;
  if (typeof input === "string") steps.add({ type: "message", role: "user", content: input });
  if (Array.isArray(input)) for (const item of input.filter(isPlainObject)) steps.add(item);
  for (const item of outputItems(response)) steps.add(item);
  const recorder = new TrajectoryRecorder();
  for (const step of steps.all) recorder.add(step, null);
  return recorder.isEmpty ? null : recorder.format({ ...session, model });
}

/** Items of the Responses API, gathered to steps: what a model gave at once is one step, with what came of its calls. */
class Steps {
  readonly all: Draft[] = [];
  /** The step of the agent that may still grow. */
  #open: Draft | null = null;
  #isAnswered = false;

  add(item: Record<string, unknown>): void {
    switch (getOwn(item, "type") ?? "message") {
      case "message":
        this.#addMessage(item);
        return;
      case "reasoning":
        this.#agentStep().reasoning = joined(
          this.#open?.reasoning,
          partsText(getOwn(item, "summary") ?? getOwn(item, "content")),
        );
        return;
      case "function_call":
        this.#addCall(item);
        return;
      case "function_call_output":
        this.#addObservation(item);
    }
  }

  #addMessage(item: Record<string, unknown>): void {
    const text = partsText(getOwn(item, "content"));
    const role = getOwn(item, "role");
    if (role === "assistant") {
      const step = this.#agentStep();
      step.message = joined(step.message, text);
      return;
    }
    this.#open = null;
    this.all.push({ source: role === "user" ? "user" : "system", message: text });
  }

  #addCall(item: Record<string, unknown>): void {
    const id = getOwn(item, "call_id");
    const name = getOwn(item, "name");
    const call: ToolCall = {
      name: typeof name === "string" ? name : "unknown",
      arguments: argumentsOf(getOwn(item, "arguments")),
      ...(typeof id === "string" ? { id } : {}),
    };
    const step = this.#agentStep();
    step.toolCalls = [...(step.toolCalls ?? []), call];
  }

  #addObservation(item: Record<string, unknown>): void {
    const id = getOwn(item, "call_id");
    const seen: Observation = {
      content: (getOwn(item, "output") ?? null) as JsonValue,
      ...(typeof id === "string" ? { callId: id } : {}),
    };
    const step = this.#open ?? this.#agentStep();
    step.observations = [...(step.observations ?? []), seen];
    this.#isAnswered = true;
  }

  /** The agent speaks anew once its calls have been answered. */
  #agentStep(): Draft {
    if (this.#open !== null && !this.#isAnswered) return this.#open;
    const step: Draft = { source: "agent" };
    this.all.push(step);
    this.#open = step;
    this.#isAnswered = false;
    return step;
  }
}

function joined(before: string | null | undefined, text: string): string {
  return (before ?? "") === "" ? text : `${before}\n${text}`;
}

function partsText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.map((part) => (isPlainObject(part) ? getOwn(part, "text") : part));
  return texts.filter((text) => typeof text === "string").join("\n");
}

/** Models write arguments as text, and not always as JSON. */
function argumentsOf(given: unknown): JsonObject {
  if (isPlainObject(given)) return given as JsonObject;
  if (typeof given !== "string" || given === "") return {};
  try {
    const parsed = parseJson(given, "arguments");
    if (isPlainObject(parsed)) return parsed as JsonObject;
  } catch {
    // Kept as it was written.
  }
  return { arguments: given };
}
