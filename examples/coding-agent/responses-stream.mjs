// @ts-check
/**
 * Writes the event stream of a Responses API answer: the few events that a client needs in order to act.
 *
 * @typedef {import("node:http").ServerResponse} ServerResponse
 * @typedef {{ inputTokens: number, cachedTokens: number, outputTokens: number, reasoningTokens: number }} Usage
 */

/**
 * Answers with one output item and the usage of this response.
 *
 * @param {ServerResponse} response
 * @param {{ responseId: string, item: Record<string, unknown>, usage: Usage }} answer
 */
export function writeAnswer(response, { responseId, item, usage }) {
  openStream(response, responseId);
  writeEvent(response, { type: "response.output_item.done", output_index: 0, item });
  writeEvent(response, {
    type: "response.completed",
    response: { id: responseId, usage: wireUsage(usage) },
  });
  response.end();
}

/**
 * Begins an answer and breaks the connection in the middle of an event.
 *
 * @param {ServerResponse} response
 * @param {string} responseId
 */
export function writeCutAnswer(response, responseId) {
  openStream(response, responseId);
  // Destroying the socket in the write's callback makes sure that the half event has left this process.
  response.write('event: response.output_item.done\ndata: {"type":"response.outp', () => {
    response.destroy();
  });
}

/**
 * Answers with an HTTP status and an error body.
 *
 * @param {ServerResponse} response
 * @param {{ status: number, type: string, message: string, retryAfterS?: number }} failure
 */
export function writeFailure(response, { status, type, message, retryAfterS }) {
  response.writeHead(status, {
    "content-type": "application/json",
    ...(retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) }),
  });
  response.end(JSON.stringify({ error: { type, message } }));
}

/**
 * @param {string} callId
 * @param {string} command
 */
export function shellCallItem(callId, command) {
  return {
    type: "function_call",
    call_id: callId,
    name: "exec_command",
    arguments: JSON.stringify({ cmd: command }),
  };
}

/**
 * @param {string} messageId
 * @param {string} text
 */
export function messageItem(messageId, text) {
  return {
    type: "message",
    id: messageId,
    role: "assistant",
    content: [{ type: "output_text", text }],
  };
}

/**
 * @param {ServerResponse} response
 * @param {string} responseId
 */
function openStream(response, responseId) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  writeEvent(response, { type: "response.created", response: { id: responseId } });
}

/**
 * @param {ServerResponse} response
 * @param {{ type: string, [key: string]: unknown }} event
 */
function writeEvent(response, event) {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** @param {Usage} usage */
function wireUsage({ inputTokens, cachedTokens, outputTokens, reasoningTokens }) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}
