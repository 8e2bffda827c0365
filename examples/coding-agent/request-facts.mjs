// @ts-check
/**
 * What a scripted model must know about a request. Everything is read from the request itself, since trials of several
 * tasks talk to the server at the same time.
 *
 * @typedef {{ role?: string, type?: string, content?: unknown }} InputItem
 * @typedef {{ conversationId: string, promptLines: string[], toolResults: number }} RequestFacts
 */

/**
 * @param {unknown} body parsed JSON of a `POST /v1/responses`
 * @returns {RequestFacts}
 */
export function readRequestFacts(body) {
  const request = asRecord(body);
  const input = /** @type {InputItem[]} */ (
    Array.isArray(request["input"]) ? request["input"] : []
  );
  return {
    conversationId: String(request["prompt_cache_key"] ?? ""),
    promptLines: input.filter((item) => item?.role === "user").flatMap(linesOf),
    toolResults: input.filter((item) => item?.type === "function_call_output").length,
  };
}

/** @param {InputItem} item */
function linesOf(item) {
  const parts = Array.isArray(item.content) ? item.content : [{ text: item.content }];
  return parts.flatMap((part) => String(asRecord(part)["text"] ?? "").split(/\r?\n/));
}

/**
 * @param {unknown} value
 * @returns {Record<string, unknown>}
 */
function asRecord(value) {
  return typeof value === "object" && value !== null
    ? /** @type {Record<string, unknown>} */ (value)
    : {};
}
