import type { TargetFacts } from "../../contracts/runner.ts";
import type { OptionsOutput } from "../../support/options.ts";
import type { callableOptions } from "./options.ts";

/** What an agent function does is its own affair: what it is can be found in the code of the suite. */
export function callableFacts({
  isolation,
  timeoutS,
  memoryLimitMb,
}: OptionsOutput<typeof callableOptions>): TargetFacts {
  const none = { unknown: "the agent is a function: it runs in no image" };
  return {
    model: { unknown: "the agent is a function, which asks models of its own choice" },
    prompt: { unknown: "the agent is a function, which makes its prompts by itself" },
    sandbox: {
      // A process of its own can be ended, but may touch all that its user may.
      isolation: "none",
      provider:
        isolation === "process"
          ? "process"
          : { unknown: "the agent runs in the process of the evaluation" },
      image: none,
      imageDigest: none,
      limits: { timeout_s: timeoutS, memory_mb: memoryLimitMb },
      network: "unrestricted",
    },
  };
}
