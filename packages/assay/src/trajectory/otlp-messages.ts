import { isPlainObject, type JsonObject, type JsonValue } from "../support/json.ts";
import { type Attributes, firstValue, numbered, textOf, unpacked } from "./otlp-attributes.ts";
import type { Span } from "./otlp-spans.ts";

export interface SpanMessage {
  readonly role: string;
  readonly text: string;
  readonly reasoning: string | null;
  readonly calls: readonly SpanCall[];
}

export interface SpanCall {
  readonly id: string | null;
  readonly name: string;
  /** As they were recorded: an object, or a text that may be one. */
  readonly arguments: JsonValue;
}

/** What a model was sent or gave: as the GenAI conventions write it, else as OpenInference does. */
export function messagesOf(attributes: Attributes, side: "input" | "output"): SpanMessage[] {
  const listed = unpacked(attributes.get(`gen_ai.${side}.messages`) ?? null);
  if (Array.isArray(listed)) return listed.flatMap(partedMessage);
  return numbered(attributes, `llm.${side}_messages`).map(flatMessage);
}

/** `{ role, parts: [{ type: "text", content }, { type: "tool_call", id, name, arguments }] }`. */
function partedMessage(message: JsonValue): SpanMessage[] {
  if (!isPlainObject(message)) return [];
  const { role, parts, content } = message as JsonObject;
  const given: readonly unknown[] = Array.isArray(parts) ? parts : [];
  const known = given.filter(isPlainObject) as JsonObject[];
  const textsOf = (type: string) =>
    known.flatMap((part) =>
      part["type"] === type && typeof part["content"] === "string" ? [part["content"]] : [],
    );
  const texts = typeof content === "string" ? [content, ...textsOf("text")] : textsOf("text");
  const reasoning = textsOf("reasoning");
  return [
    {
      role: typeof role === "string" ? role : "",
      text: texts.join(""),
      reasoning: reasoning.length === 0 ? null : reasoning.join(""),
      calls: known.flatMap(({ type, id, name, arguments: given }) =>
        type === "tool_call" && typeof name === "string"
          ? [{ id: typeof id === "string" ? id : null, name, arguments: given ?? null }]
          : [],
      ),
    },
  ];
}

function flatMessage(fields: Attributes): SpanMessage {
  const parts = numbered(fields, "message.contents");
  const texts = parts.flatMap((part) => textOf(part, ["message_content.text"]) ?? []);
  return {
    role: textOf(fields, ["message.role"]) ?? "",
    text: textOf(fields, ["message.content"]) ?? texts.join(""),
    reasoning: null,
    calls: numbered(fields, "message.tool_calls").flatMap((call) => {
      const name = textOf(call, ["tool_call.function.name"]);
      if (name === null) return [];
      const given = call.get("tool_call.function.arguments") ?? null;
      return [{ id: textOf(call, ["tool_call.id"]), name, arguments: given }];
    }),
  };
}

/**
 * What was answered in the end: of the root, else of the span that ended last and says one. What a tool gave is no
 * answer.
 */
export function answerOf(spans: readonly Span[]): string | null {
  const candidates = spans.filter(({ kind }) => kind !== "tool");
  const ranked = candidates.toSorted((a, b) => rank(b) - rank(a) || (a.end < b.end ? 1 : -1));
  for (const { attributes } of ranked) {
    const answer = spanAnswer(attributes);
    if (answer !== null) return answer;
  }
  return null;
}

const rank = ({ parentSpanId }: Span) => (parentSpanId === "" ? 1 : 0);

function spanAnswer(attributes: Attributes): string | null {
  const value = textOf(attributes, ["output.value"]);
  if (value !== null && value.trim() !== "") return value;
  const said = messagesOf(attributes, "output")
    .filter(({ role }) => role === "assistant")
    .map(({ text }) => text)
    .join("");
  if (said.trim() !== "") return said;
  const result = firstValue(attributes, ["final_result"]);
  return typeof result === "string" && result.trim() !== "" ? result : null;
}
