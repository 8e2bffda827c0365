import { codexCli, codexDockerCli, dockerSandbox } from "assay/runners";

export interface Selection {
  /** `docker`, or `local` for no container. */
  readonly runtime: string;
  /** `openai`, or `scripted` for the server of ../coding-agent. */
  readonly server: string;
  readonly openAiKey: string | undefined;
}

const scripted = {
  model: "scripted-model",
  timeoutS: 120,
  // Its port differs from run to run, and stays out of the recorded settings by that.
  inheritEnv: ["CODEX_DOCKER_BASE_URL"],
  configOverrides: {
    model_provider: "scripted",
    "model_providers.scripted": {
      name: "scripted model server, no model",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the runner fills it in
      base_url: "${CODEX_DOCKER_BASE_URL}",
      wire_api: "responses",
      env_key: "CODEX_DOCKER_API_KEY",
      request_max_retries: 0,
      stream_max_retries: 0,
    },
  },
};

/**
 * The runner for a choice. `local` is the Codex CLI of this machine. `docker` is an agent loop of `@openai/agents` where
 * there is a key of OpenAI to pay it with, and else the Codex CLI in a container, with the login of this machine.
 */
export function selectRunner({ runtime, server, openAiKey = "" }: Selection) {
  if (server !== "openai" && server !== "scripted")
    throw new Error(`model_server is "${server}", and must be openai or scripted`);
  const isScripted = server === "scripted";
  const options = isScripted ? scripted : {};
  const secrets = isScripted ? ["CODEX_DOCKER_API_KEY"] : [];
  switch (runtime) {
    case "local":
      return { choice: "local_cli", target: codexCli(options), secrets } as const;
    case "docker":
      if (!isScripted && openAiKey.trim().startsWith("sk-")) {
        const target = dockerSandbox({ model: "gpt-5.4" });
        return { choice: "docker_sandbox", target, secrets: ["OPENAI_API_KEY"] } as const;
      }
      return { choice: "docker_cli", target: codexDockerCli(options), secrets } as const;
    default:
      throw new Error(`runtime is "${runtime}", and must be docker or local`);
  }
}
