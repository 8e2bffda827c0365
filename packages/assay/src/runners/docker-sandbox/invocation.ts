import type { SandboxImage, SandboxSpec } from "../../contracts/sandbox.ts";
import { sandboxLimits } from "../../schema/sandbox-limits.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import type { DockerSandboxSettings } from "./options.ts";

export const workdir = "/workspace";

/** Pure: the container of one trial. The agent is root in it, on purpose: agents install what they need. */
export function sandboxSpec(
  options: DockerSandboxSettings,
  image: SandboxImage,
  trialId: string,
): SandboxSpec {
  const { network, timeoutS } = options;
  return {
    image,
    trialId,
    workdir,
    user: "0",
    network,
    limits: sandboxLimits(options),
    ...(timeoutS === null ? {} : { lifetimeMs: (timeoutS + 600) * 1000 }),
  };
}

interface ClientInputs {
  readonly secrets: Readonly<Record<string, string>>;
  readonly endpoint: string;
}

/** Pure: all that the client of the endpoint would else take from the environment, where nobody would see it. */
export function clientSettings(
  { keyVariable, requestRetries, timeoutS }: DockerSandboxSettings,
  { secrets, endpoint }: ClientInputs,
): object {
  return {
    // The client does not begin without one.
    apiKey: (keyVariable === null ? undefined : secrets[keyVariable]) ?? "none",
    baseURL: endpoint,
    organization: null,
    project: null,
    maxRetries: requestRetries,
    fetch: boundedFetch,
    logLevel: "off",
    // The time limit of the trial comes first.
    ...(timeoutS === null ? {} : { timeout: (timeoutS + 60) * 1000 }),
  };
}
