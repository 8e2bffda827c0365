import { getOwn, isPlainObject } from "../../support/json.ts";
import type { UsageDraft } from "../define/usage.ts";

/** What the assistant said: every text part of its messages, one after the other; null when it said nothing. */
export function textOfResponse(response: unknown): string | null {
  const said = outputItems(response)
    .filter((item) => getOwn(item, "type") === "message" && getOwn(item, "role") === "assistant")
    .flatMap((message) => textParts(getOwn(message, "content")));
  return said.length === 0 ? null : said.join("\n");
}

function textParts(content: unknown): readonly string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content
    .filter((part) => isPlainObject(part) && getOwn(part, "type") === "output_text")
    .map((part) => getOwn(part as object, "text"))
    .filter((text) => typeof text === "string");
}

/** Items of `response.output`; what is no object is left out. */
export function outputItems(response: unknown): readonly Record<string, unknown>[] {
  const output = isPlainObject(response) ? getOwn(response, "output") : undefined;
  return Array.isArray(output) ? output.filter(isPlainObject) : [];
}

/** Tokens as a provider counts them, under either of their names. Only whole numbers of at least 0 count. */
export function usageOfResponse(response: unknown): UsageDraft {
  const usage = isPlainObject(response) ? getOwn(response, "usage") : undefined;
  if (!isPlainObject(usage)) return {};
  const details = ["prompt_tokens_details", "input_tokens_details"].map((key) =>
    getOwn(usage, key),
  );
  return {
    promptTokens: firstCount(usage, "prompt_tokens", "input_tokens"),
    completionTokens: firstCount(usage, "completion_tokens", "output_tokens"),
    totalTokens: firstCount(usage, "total_tokens"),
    cacheReadTokens:
      details
        .map((detail) => firstCount(detail, "cached_tokens"))
        .find((count) => count !== null) ?? firstCount(usage, "cache_read_input_tokens"),
    cacheCreationTokens: firstCount(usage, "cache_creation_input_tokens"),
  };
}

function firstCount(counts: unknown, ...names: readonly string[]): number | null {
  if (!isPlainObject(counts)) return null;
  return names.map((name) => getOwn(counts, name)).find(isCount) ?? null;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** No model was asked: there is no output, and the tokens sent are said to be none. An unstated count proves nothing. */
export function hasNeverRun(response: unknown): boolean {
  const output = isPlainObject(response) ? getOwn(response, "output") : undefined;
  const isEmpty = Array.isArray(output) && output.length === 0;
  return isEmpty && usageOfResponse(response).promptTokens === 0;
}

/** The model that the provider says it used. */
export function servedModel(response: unknown): string | null {
  const model = isPlainObject(response) ? getOwn(response, "model") : undefined;
  return typeof model === "string" && model !== "" ? model : null;
}
