import { cutMark } from "../../support/cut-text.ts";
import type { JsonObject, JsonValue } from "../../support/json.ts";
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
        content: {
          output: cut(item.aggregated_output ?? ""),
          exit_code: item.exit_code ?? null,
          status: item.status ?? null,
        },
      });
    case "file_change":
      return toolStep(item, {
        name: "apply_patch",
        arguments: { changes: (item.changes ?? []).map(changeOf) },
        content: { status: item.status ?? null },
      });
    case "mcp_tool_call":
      return toolStep(item, {
        name: `${item.server ?? "mcp"}__${item.tool ?? "tool"}`,
        arguments: { input: cut(JSON.stringify(item.arguments ?? {})) },
        content: { output: cut(JSON.stringify(item.result ?? null)), status: item.status ?? null },
      });
    case "web_search":
      return toolStep(item, {
        name: "web_search",
        arguments: { query: item.query ?? "" },
        content: { status: item.status ?? null },
      });
    default:
      return { message: cut(JSON.stringify(item)) };
  }
}

interface ToolCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly content: JsonValue;
}

function toolStep({ id }: CodexItem, { content, ...call }: ToolCall): StepDraft {
  return {
    toolCalls: [{ ...call, ...(id === undefined ? {} : { id }) }],
    observations: [{ content, ...(id === undefined ? {} : { callId: id }) }],
  };
}

function changeOf({ path, kind }: NonNullable<CodexItem["changes"]>[number]): JsonObject {
  return { path, kind: kind ?? null };
}

function cutObservation(text: string, redact: (text: string) => string): string {
  if (text.length <= maxObservationCharacters) return text;
  const kept = redact(text).slice(0, maxObservationCharacters);
  return `${kept}${cutMark} (${text.length} characters)`;
}
