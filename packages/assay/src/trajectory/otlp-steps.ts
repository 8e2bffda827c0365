import type {
  TrajectoryGap,
  TrajectoryObservation,
  TrajectoryStep,
  TrajectoryToolCall,
} from "../contracts/trajectory.ts";
import { isPlainObject, type JsonObject, type JsonValue } from "../support/json.ts";
import { firstValue, textOf, unpacked } from "./otlp-attributes.ts";
import { messagesOf, type SpanCall, type SpanMessage } from "./otlp-messages.ts";
import type { Span } from "./otlp-spans.ts";

type StepDraft = Omit<TrajectoryStep, "stepId" | "toolCalls" | "observations"> & {
  readonly toolCalls: TrajectoryToolCall[];
  readonly observations: TrajectoryObservation[];
};

/** A call that a model asked for and no span of a tool has answered yet. */
interface OpenCall {
  readonly call: TrajectoryToolCall;
  readonly step: StepDraft;
}

/** Those of one tool in one trace, in the order in which they were asked for. */
interface OpenCalls {
  readonly byId: Map<string, OpenCall>;
  readonly withoutId: Set<OpenCall>;
}

/** Makes steps of spans, which come in the order in which they began. */
export class OtlpSteps {
  readonly #steps: StepDraft[] = [];
  readonly #open = new Map<string, OpenCalls>();
  /** What was sent to a model is sent again with each later call: only the first time is a step. */
  readonly #sent = new Set<string>();
  #unusableArguments = 0;

  add(span: Span): void {
    if (span.kind === "model") this.#addModel(span);
    else if (span.kind === "tool") this.#addTool(span);
  }

  end(): { readonly list: readonly TrajectoryStep[]; readonly gaps: readonly TrajectoryGap[] } {
    const list = this.#steps.map((step, index) => ({ stepId: index + 1, ...step }));
    const count = this.#unusableArguments;
    const detail = `the arguments of ${count} calls are no object`;
    return {
      list,
      gaps: count === 0 ? [] : [{ field: "toolCalls.arguments", reason: "not_usable", detail }],
    };
  }

  #addModel(span: Span): void {
    for (const message of messagesOf(span.attributes, "input")) this.#addSent(message, span);
    const messages = messagesOf(span.attributes, "output");
    const said = messages.map(({ text }) => text).join("\n");
    const reasoning = messages.flatMap((message) => message.reasoning ?? []);
    const step = this.#push(span, {
      message: messages.length > 0 ? said : (textOf(span.attributes, ["output.value"]) ?? ""),
      reasoning: reasoning.length === 0 ? null : reasoning.join("\n"),
      modelName: textOf(span.attributes, [
        "gen_ai.response.model",
        "gen_ai.request.model",
        "llm.model_name",
      ]),
      usage: span.usage,
    });
    for (const asked of messages.flatMap(({ calls }) => calls)) {
      const call = this.#callOf(asked);
      step.toolCalls.push(call);
      const { byId, withoutId } = this.#openOf(call.name, span);
      if (call.id === null) withoutId.add({ call, step });
      else byId.set(call.id, { call, step });
    }
  }

  #addSent({ role, text }: SpanMessage, span: Span): void {
    if ((role !== "user" && role !== "system") || text === "") return;
    const key = `${span.traceId} ${role} ${text}`;
    if (this.#sent.has(key)) return;
    this.#sent.add(key);
    this.#push(span, { source: role, message: text });
  }

  #push(span: Span, parts: Partial<StepDraft>): StepDraft {
    const step: StepDraft = {
      timestamp: span.timestamp,
      source: "agent",
      message: "",
      reasoning: null,
      modelName: null,
      usage: null,
      isCopiedContext: false,
      ...parts,
      toolCalls: [],
      observations: [],
    };
    this.#steps.push(step);
    return step;
  }

  /** A tool that ran answers the call of a model that asked for it; one that nobody asked for is a step of its own. */
  #addTool(span: Span): void {
    const { attributes } = span;
    const name =
      textOf(attributes, ["gen_ai.tool.name", "tool.name"]) ??
      span.name.replace(/^execute_tool\s+/, "");
    const id = textOf(attributes, ["gen_ai.tool.call.id", "tool_call.id"]);
    const given = firstValue(attributes, [
      "gen_ai.tool.call.arguments",
      "tool.parameters",
      "input.value",
    ]);
    const asked = takeOpen(this.#openOf(name, span), id);
    const step = asked?.step ?? this.#push(span, {});
    if (asked === null) {
      step.toolCalls.push(this.#callOf({ id, name, arguments: given ?? null }));
    } else if (asked.call.arguments === null && given !== undefined) {
      const call = { ...asked.call, arguments: this.#argumentsOf(given) };
      step.toolCalls[step.toolCalls.indexOf(asked.call)] = call;
    }
    const answer = firstValue(attributes, ["gen_ai.tool.call.result", "output.value"]);
    if (answer !== undefined)
      step.observations.push({ callId: asked?.call.id ?? id, content: answer });
  }

  #openOf(name: string, { traceId }: Span): OpenCalls {
    const key = `${traceId} ${name}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const open = { byId: new Map<string, OpenCall>(), withoutId: new Set<OpenCall>() };
    this.#open.set(key, open);
    return open;
  }

  #callOf({ id, name, arguments: given }: SpanCall): TrajectoryToolCall {
    return { id, name, arguments: given === null ? null : this.#argumentsOf(given) };
  }

  #argumentsOf(given: JsonValue): JsonObject | null {
    const value = unpacked(given);
    if (isPlainObject(value)) return value as JsonObject;
    this.#unusableArguments += 1;
    return null;
  }
}

/** The call with this id; where one side has no id, the one that was asked for first. */
function takeOpen({ byId, withoutId }: OpenCalls, id: string | null): OpenCall | null {
  const named = id === null ? undefined : byId.get(id);
  const [unnamed] = withoutId;
  const [oldest] = id === null ? byId.values() : [];
  const found = named ?? unnamed ?? oldest ?? null;
  if (found === null) return null;
  withoutId.delete(found);
  if (found.call.id !== null) byId.delete(found.call.id);
  return found;
}
