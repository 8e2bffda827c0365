import { z } from "zod";

import { namedFunction, operational, shapes } from "../../support/options.ts";
import type { CallableAgent } from "./agent.ts";

export const callableOptions = {
  agentFn: shapes(
    namedFunction<"agent", CallableAgent<never>>("agent").describe(
      "The agent, recorded by its stable name.",
    ),
  ),
  parallelism: operational(
    z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe("Trials at once; null takes the run's concurrency."),
    "how many trials run at once does not change what one trial does",
  ),
  timeoutS: shapes(
    z
      .number()
      .positive()
      .nullable()
      .default(null)
      .describe("Seconds one trial may take; null is no limit."),
  ),
  trialIdSuffix: shapes(z.string().min(1).default("trial").describe("Second part of trial ids.")),
};
