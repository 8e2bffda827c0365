import { z } from "zod";

import { namedFunction } from "../../support/named-function.ts";
import { shapes } from "../../support/options.ts";
import { parallelismOption } from "../define/parallelism-option.ts";
import type { CallableAgent } from "./agent.ts";

export const callableOptions = {
  agentFn: shapes(
    namedFunction<"agent", CallableAgent<never>>("agent").describe(
      "The agent, recorded by its stable name.",
    ),
  ),
  parallelism: parallelismOption,
  timeoutS: shapes(
    z
      .number()
      .positive()
      .nullable()
      .default(null)
      .describe("Seconds one trial may take; null is no limit."),
  ),
  isolation: shapes(
    z
      .enum(["none", "process"])
      .default("none")
      .describe("Whether the agent runs in this process, or each attempt in one of its own."),
  ),
  memoryLimitMb: shapes(
    z
      .int()
      .min(64)
      .nullable()
      .default(null)
      .describe("Megabytes of heap that an isolated agent may use; null leaves it to Node."),
  ),
  inheritEnv: shapes(
    z
      .array(z.string().min(1))
      .default([])
      .describe("Variables of the environment that an isolated agent gets beside the usual ones."),
  ),
  trialIdSuffix: shapes(z.string().min(1).default("trial").describe("Second part of trial ids.")),
};
