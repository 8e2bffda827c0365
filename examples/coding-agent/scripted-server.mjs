// @ts-check
/**
 * A model server that follows a script. It speaks enough of the Responses API to drive the real Codex CLI, listens on
 * the loopback interface only, and needs no account.
 *
 * @typedef {import("node:http").IncomingMessage} IncomingMessage
 * @typedef {import("node:http").ServerResponse} ServerResponse
 * @typedef {import("./script-player.mjs").Script} Script
 * @typedef {import("./script-player.mjs").Move} Move
 *
 * @typedef {object} RequestRecord one line of the server's memory
 * @property {string} method
 * @property {string} path
 * @property {string | null} title title of the script that answered, null when none did
 * @property {number | null} takeIndex
 * @property {number | null} stepIndex
 * @property {"command" | "message" | "silence" | "cut" | "failure"} reply
 *
 * @typedef {object} ScriptedServer
 * @property {string} url base address, ends in `/v1`
 * @property {number} port
 * @property {readonly RequestRecord[]} requests every request so far, in the order of arrival
 * @property {() => Promise<void>} close ends all connections, the unanswered ones too
 */

import { createServer } from "node:http";
import { readRequestFacts } from "./request-facts.mjs";
import {
  messageItem,
  shellCallItem,
  writeAnswer,
  writeCutAnswer,
  writeFailure,
} from "./responses-stream.mjs";
import { createScriptPlayer } from "./script-player.mjs";

const loopback = "127.0.0.1";
const FAILURE_TYPES = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [404, "not_found_error"],
  [429, "rate_limit_error"],
]);

/**
 * @param {{ scripts: readonly Script[], apiKey?: string, host?: string }} options with `apiKey`, other keys are turned
 *   away (401); `host` is the address to listen on, for agents in containers
 * @returns {Promise<ScriptedServer>}
 */
export async function startScriptedServer({ scripts, apiKey, host = loopback }) {
  const player = createScriptPlayer(scripts);
  /** @type {RequestRecord[]} */
  const requests = [];

  const server = createServer((request, response) => {
    // An agent that is stopped drops its connection; that is its right and no fault of the server.
    response.on("error", () => {});
    answer(request, response).catch((error) => fail(response, 500, String(error)));
  });

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  async function answer(request, response) {
    const text = await readText(request);
    const method = request.method ?? "";
    const path = request.url ?? "";
    /** @param {RequestRecord["reply"]} reply @param {Move} [move] */
    const record = (reply, move) => {
      const { script, takeIndex = null, stepIndex = null } = move ?? {};
      requests.push({ method, path, title: script?.title ?? null, takeIndex, stepIndex, reply });
      return requests.length;
    };

    if (method !== "POST" || path !== "/v1/responses") {
      record("failure");
      fail(response, 404, `there is nothing at ${method} ${path}`);
      return;
    }
    if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) {
      record("failure");
      fail(response, 401, "the API key is not the one this server expects");
      return;
    }
    const move = player.next(readRequestFacts(JSON.parse(text)));
    if (move === undefined) {
      record("failure");
      fail(
        response,
        400,
        "no script answers this prompt; its instruction needs the line '# <title>' of a script",
      );
      return;
    }
    play(response, move, (reply) => record(reply, move));
  }

  const port = await listen(server, host);
  return {
    url: `http://${loopback}:${port}/v1`,
    port,
    requests,
    close: () => close(server),
  };
}

/**
 * @param {ServerResponse} response
 * @param {Move} move
 * @param {(reply: RequestRecord["reply"]) => number} record
 */
function play(response, { step, usage }, record) {
  if ("run" in step) {
    const serial = record("command");
    const item = shellCallItem(`call_${serial}`, step.run);
    writeAnswer(response, { responseId: `resp_${serial}`, item, usage });
  } else if ("say" in step) {
    const serial = record("message");
    const item = messageItem(`msg_${serial}`, step.say);
    writeAnswer(response, { responseId: `resp_${serial}`, item, usage });
  } else if ("silence" in step) {
    record("silence");
  } else if ("cut" in step) {
    writeCutAnswer(response, `resp_${record("cut")}`);
  } else {
    record("failure");
    fail(response, step.status, step.message, step.retryAfterS);
  }
}

/**
 * @param {ServerResponse} response
 * @param {number} status
 * @param {string} message
 * @param {number} [retryAfterS]
 */
function fail(response, status, message, retryAfterS) {
  const type = FAILURE_TYPES.get(status) ?? "server_error";
  writeFailure(response, {
    status,
    type,
    message,
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  });
}

/** @param {IncomingMessage} request */
async function readText(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * @param {import("node:http").Server} server
 * @param {string} host
 * @returns {Promise<number>}
 */
function listen(server, host) {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, () => {
      const address = server.address();
      if (address === null || typeof address === "string")
        reject(new Error("the server has no port"));
      else resolve(address.port);
    });
  });
}

/**
 * @param {import("node:http").Server} server
 * @returns {Promise<void>}
 */
function close(server) {
  return new Promise((resolve) => {
    // The only error is that the server is closed already, which is what the caller wants.
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
