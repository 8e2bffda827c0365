import type { Script, Step } from "../../../examples/coding-agent/script-player.mjs";
import { usageAt } from "../../../examples/coding-agent/scripted-usage.mjs";

export type { Script, Step };

/** The server's key, and the variable that a real Codex reads it from. */
export const modelSecret = "sk-test-0123456789abcdef";
export const modelSecrets = { MODEL_KEY: modelSecret };

/** Inputs of a task that the scripts with the title `work` are played to. */
export const workInputs = {
  instruction: "# work\n\nDo it.",
  files: { "seed.txt": "seed\n" },
};

/** Codex's settings for a scripted server. */
export function scriptedSettings(baseUrl: string) {
  return {
    model: "scripted-model",
    env: { BASE_URL: baseUrl },
    configOverrides: {
      model_provider: "scripted",
      "model_providers.scripted": {
        name: "scripted",
        base_url: "${BASE_URL}",
        wire_api: "responses",
        env_key: "MODEL_KEY",
        request_max_retries: 0,
        stream_max_retries: 0,
      },
    },
  };
}

/** Tokens that the server counted over a take. */
export function sumOf(
  take: readonly Step[],
  field: "inputTokens" | "outputTokens" | "cachedTokens",
): number {
  return take.reduce((sum, _step, index) => sum + usageAt(take, index)[field], 0);
}
