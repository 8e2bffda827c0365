import { z } from "zod";

import type { AgentTaskRunner, TargetFacts } from "../../contracts/runner.ts";
import { unknownFacts } from "../../runners/define/target-facts.ts";
import { parseValue } from "../../schema/codec.ts";
import { fact } from "../../schema/fact.ts";
import { jsonObject } from "../../schema/free-form.ts";

const optionPlace = z.tuple([z.string()], z.string());

const targetFactsSchema = z.strictObject({
  model: fact(z.strictObject({ name: z.string(), setBy: optionPlace })),
  prompt: fact(z.strictObject({ setBy: optionPlace, isSuiteCode: z.boolean() })),
  sandbox: z.strictObject({
    isolation: fact(z.enum(["none", "os_sandbox", "container"])),
    provider: fact(z.string()),
    image: fact(z.string()),
    imageDigest: fact(z.string()),
    limits: fact(jsonObject()),
    network: fact(z.string()),
  }),
});

/** What a target says its options amount to; checked before anything runs, for it is stored at the end. */
export function targetFactsOf(runner: AgentTaskRunner): TargetFacts {
  if (runner.targetFacts === undefined) return unknownFacts("the runner does not say");
  return parseValue(targetFactsSchema, runner.targetFacts(), {
    source: "targetFacts() of the target",
    code: "ASSAY_TARGET_INVALID",
  });
}
