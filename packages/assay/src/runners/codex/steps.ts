import { cutMark } from "../../support/cut-text.ts";
import { isPlainObject, type JsonObject } from "../../support/json.ts";
import type { StepDraft } from "../define/trajectory.ts";
import type { CodexItem } from "./events.ts";

const maxObservationCharacters = 64 * 1024;

/** An item of Codex's stream as a step of the trajectory. Long texts are redacted, then cut. */
export function stepOf(item: CodexItem, redact: (text: string) => string): StepDraft {
  const cut = (text: string) => cutObservation(text, redact);
  switch (item.type) {
    case "agent_message":
      return { message: item.text ?? "" };
    case "reasoning":
      return { reasoning: item.text ?? "" };
    case "command_execution":
      return toolStep(item, {
        name: "shell",
        arguments: { command: item.command ?? "" },
        content: cut(item.aggregated_output ?? ""),
        extra: { exit_code: item.exit_code ?? null, status: item.status ?? null },
      });
    case "file_change":
      return toolStep(item, {
        name: "apply_patch",
        arguments: { changes: (item.changes ?? []).map(changeOf) },
        content: "",
        extra: { status: item.status ?? null },
      });
    case "mcp_tool_call":
      return toolStep(item, {
        name: `${item.server ?? "mcp"}__${item.tool ?? "tool"}`,
        arguments: argumentsOf(item.arguments, cut),
        content: cut(resultText(item.result)),
        extra: { status: item.status ?? null },
      });
    case "web_search":
      return toolStep(item, {
        name: "web_search",
        arguments: { query: item.query ?? "" },
        content: "",
        extra: { status: item.status ?? null },
      });
    default:
      return { message: cut(JSON.stringify(item)) };
  }
}

interface ToolCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly content: string;
  /** What the stream says of the answer beside its text. */
  readonly extra: JsonObject;
}

function toolStep({ id }: CodexItem, { content, extra, ...call }: ToolCall): StepDraft {
  return {
    toolCalls: [{ ...call, ...(id === undefined ? {} : { id }) }],
    observations: [{ content, extra, ...(id === undefined ? {} : { callId: id }) }],
  };
}

/** As they are where they are an object that is not too long, else as text. */
function argumentsOf(given: unknown, cut: (text: string) => string): JsonObject {
  const text = JSON.stringify(given ?? {});
  return isPlainObject(given) && text.length <= maxObservationCharacters
    ? (given as JsonObject)
    : given === undefined || given === null
      ? {}
      : { input: cut(text) };
}

/** The texts of a result where it has nothing else, else its JSON. */
function resultText(result: unknown): string {
  const parts = isPlainObject(result) ? result["content"] : undefined;
  const texts = Array.isArray(parts)
    ? parts.flatMap((part: unknown) => {
        const text = isPlainObject(part) ? part["text"] : undefined;
        return typeof text === "string" ? [text] : [];
      })
    : [];
  const isAllText = Array.isArray(parts) && texts.length === parts.length;
  return isAllText ? texts.join("\n") : JSON.stringify(result ?? null);
}

function changeOf({ path, kind }: NonNullable<CodexItem["changes"]>[number]): JsonObject {
  return { path, kind: kind ?? null };
}

function cutObservation(text: string, redact: (text: string) => string): string {
  if (text.length <= maxObservationCharacters) return text;
  const kept = redact(text).slice(0, maxObservationCharacters);
  return `${kept}${cutMark} (${text.length} characters)`;
}
