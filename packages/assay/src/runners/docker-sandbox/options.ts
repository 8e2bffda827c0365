import { z } from "zod";

import { type OptionsOutput, operational, shapes } from "../../support/options.ts";
import { containerOptions, networks } from "../define/container/options.ts";
import { parallelismOption } from "../define/parallelism-option.ts";
import { checkEndpoint } from "./endpoint.ts";

const defaultInstructions = `You work in a Linux container, in the directory /workspace. The task is also in instruction.md there.
Look at the files before you change anything. Use the tools: what you do not do with them is not done.
Put files that are to be kept under output/, unless the task names another place.
When you are done, answer briefly with the result.`;

const agentOptions = {
  /** Model name; null takes the default of @openai/agents. */
  model: shapes(
    z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe("Model name; null takes the default of @openai/agents."),
  ),
  /** What the agent is told beside the task. */
  instructions: shapes(
    z
      .string()
      .min(1)
      .default(defaultInstructions)
      .describe("What the agent is told beside the task."),
  ),
  /** The endpoint. "${NAME}" in it takes a variable of the host. */
  baseUrl: shapes(
    z
      .string()
      .min(1)
      .default("https://api.openai.com/v1")
      .describe(`The endpoint. "\${NAME}" in it takes a variable of the host.`),
  ),
  /** What the endpoint speaks. */
  api: shapes(
    z
      .enum(["responses", "chat_completions"])
      .default("responses")
      .describe("What the endpoint speaks."),
  ),
  /** Name of the declared secret that holds the endpoint's key; null for one that takes none. */
  keyVariable: operational(
    z
      .string()
      .min(1)
      .nullable()
      .default("OPENAI_API_KEY")
      .describe(
        "Name of the declared secret that holds the endpoint's key; null for one that takes none.",
      ),
    "who pays for the model does not change what it does",
  ),
  /** Further tries of one request that was refused as too early, or whose connection failed before an answer began. */
  requestRetries: shapes(
    z
      .int()
      .min(0)
      .max(20)
      .default(2)
      .describe(
        "Further tries of one request that was refused as too early, or whose connection failed before an answer began.",
      ),
  ),
  /** Answers of the model in one trial. */
  maxTurns: shapes(z.int().positive().default(100).describe("Answers of the model in one trial.")),
  /** Seconds one trial may take; null is no limit. */
  timeoutS: shapes(
    z
      .number()
      .positive()
      .nullable()
      .default(600)
      .describe("Seconds one trial may take; null is no limit."),
  ),
  /** The image of the containers. It needs `sh`, `cat`, `mkdir` and `dirname`. */
  image: shapes(
    z
      .string()
      .min(1)
      .default("python:3.14-slim")
      .describe("The image of the containers. It needs `sh`, `cat`, `mkdir` and `dirname`."),
  ),
  /** What the agent's commands reach: nothing, or with `bridge` what the host reaches. */
  network: shapes(
    z
      .enum(networks)
      .default("none")
      .describe(
        "What the agent's commands reach: nothing, or with `bridge` what the host reaches.",
      ),
  ),
  /** Trials at once; null takes the run's concurrency. */
  parallelism: parallelismOption,
};

/** By the types of its parts: written out, the declarations would lack the help of each key. */
export const dockerSandboxOptions: typeof agentOptions & typeof containerOptions = {
  ...agentOptions,
  ...containerOptions,
};

export type DockerSandboxSettings = OptionsOutput<typeof dockerSandboxOptions>;

export function checkDockerSandboxOptions({ baseUrl }: DockerSandboxSettings): void {
  checkEndpoint(baseUrl);
}
