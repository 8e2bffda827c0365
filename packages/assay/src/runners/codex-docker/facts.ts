import type { TargetFacts } from "../../contracts/runner.ts";
import { modelFact } from "../codex/facts.ts";
import { containerFacts } from "../define/container/facts.ts";
import type { CodexDockerOptions } from "./options.ts";

export function codexDockerFacts(options: CodexDockerOptions): TargetFacts {
  return {
    model: modelFact(options),
    prompt: { setBy: ["prompt_builder"], isSuiteCode: options.promptBuilder.module !== "assay" },
    sandbox: containerFacts(options),
  };
}
