// @ts-check
/**
 * Where the model is. Both are given to Codex as a provider of its own, so nothing of a login or a user's settings
 * takes part, and what is recorded is all there is.
 *
 * @typedef {object} ModelServer
 * @property {string} secret name of the variable that holds the key
 * @property {string | null} model null is Codex's own default
 * @property {number} timeoutS
 * @property {string[]} inheritEnv variables that Codex gets from the host
 * @property {Record<string, string | number>} provider
 */

/** @type {Readonly<Record<string, ModelServer>>} */
const modelServers = {
  /** The server of scripted-server.mjs: it plays scripts.mjs, and no model takes part. */
  scripted: {
    secret: "CODING_AGENT_API_KEY",
    model: "scripted-model",
    timeoutS: 20,
    // Its port differs from run to run, and stays out of the recorded settings by that.
    inheritEnv: ["CODING_AGENT_BASE_URL"],
    provider: {
      name: "scripted model server, no model",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the runner fills it in
      base_url: "${CODING_AGENT_BASE_URL}",
      wire_api: "responses",
      env_key: "CODING_AGENT_API_KEY",
      // The scripted faults shall be seen: they cost an attempt, not the trial.
      request_max_retries: 0,
      stream_max_retries: 0,
    },
  },
  openai: {
    secret: "OPENAI_API_KEY",
    model: null,
    timeoutS: 600,
    inheritEnv: [],
    provider: {
      name: "OpenAI",
      base_url: "https://api.openai.com/v1",
      wire_api: "responses",
      env_key: "OPENAI_API_KEY",
    },
  },
};

/**
 * @param {string} name
 * @returns {ModelServer}
 */
export function modelServer(name) {
  const server = modelServers[name];
  if (server !== undefined) return server;
  throw new Error(
    `model_server is "${name}", and must be one of ${Object.keys(modelServers).join(", ")}`,
  );
}
