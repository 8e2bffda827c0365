import type { SaidFacts } from "../define/target-facts.ts";
import { type HarborOptions, modeOf } from "./options.ts";

export function harborFacts(options: HarborOptions): SaidFacts {
  const { agentModelName, environmentType } = options;
  const mode = modeOf(options);
  const elsewhere = {
    unknown:
      mode === "offline"
        ? "the trials are taken from a job that was run before"
        : "a function of the suite runs the job",
  };
  if (mode !== "native")
    return {
      model: elsewhere,
      prompt: elsewhere,
      sandbox: {
        isolation: elsewhere,
        provider: elsewhere,
        image: elsewhere,
        imageDigest: elsewhere,
        limits: elsewhere,
        network: elsewhere,
      },
    };
  const perTask = { unknown: "each Harbor task says it in its own environment" };
  return {
    model:
      agentModelName === null
        ? { unknown: "no option names a model: the agent takes its own" }
        : { name: agentModelName, setBy: ["agent_model_name"] },
    prompt: { unknown: "Harbor gives the agent the task's instruction.md" },
    sandbox: {
      isolation: "container",
      provider: `harbor ${environmentType}`,
      image: perTask,
      imageDigest: perTask,
      limits: perTask,
      network: perTask,
    },
  };
}
