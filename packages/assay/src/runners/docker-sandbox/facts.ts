import type { TargetFacts } from "../../contracts/runner.ts";
import { containerFacts } from "../define/container/facts.ts";
import type { DockerSandboxSettings } from "./options.ts";

export function dockerSandboxFacts(options: DockerSandboxSettings): TargetFacts {
  return {
    model:
      options.model === null
        ? { unknown: "no option names a model: @openai/agents takes its default" }
        : { name: options.model, setBy: ["model"] },
    prompt: { setBy: ["instructions"], isSuiteCode: false },
    sandbox: containerFacts(options),
  };
}
