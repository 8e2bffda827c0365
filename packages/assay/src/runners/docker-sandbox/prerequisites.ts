import type { ProbeContext, ToolFacts } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { dockerOf, imageFacts } from "../define/container/engine.ts";
import { loadAgents } from "./agents-package.ts";
import { endpointOf } from "./endpoint.ts";
import { sandboxSpec } from "./invocation.ts";
import type { DockerSandboxSettings } from "./options.ts";

/** Finds endpoint, key, package, engine and image, and makes one container like those of the trials. */
export async function probeDockerSandbox(
  options: DockerSandboxSettings,
  context: ProbeContext,
): Promise<ToolFacts> {
  const { signal, baseDir, secrets } = context;
  const endpoint = endpointOf(options.baseUrl, context);
  const { version, library } = loadAgents(baseDir);
  assertKey(options, secrets);
  const docker = await dockerOf(options, context);
  const engine = await docker.facts();
  const image = await docker.resolveImage(options.image, { signal });
  const sandbox = await docker.create(sandboxSpec(options, image, "probe"), { signal });
  await sandbox.stop();
  const { resolved, observed } = imageFacts(image, engine);
  const model = options.model === null ? { default_model: library.getDefaultModel() } : {};
  return {
    version,
    resolved: { ...resolved, ...model },
    observed: { ...observed, endpoint },
  };
}

function assertKey({ keyVariable }: DockerSandboxSettings, secrets: ProbeContext["secrets"]): void {
  if (keyVariable === null || Object.hasOwn(secrets, keyVariable)) return;
  throw new AssayError(
    "ASSAY_SECRET_MISSING",
    `docker_sandbox needs the secret ${keyVariable} for its endpoint, and the suite does not declare it`,
    {
      remedy: `Add ${keyVariable} to \`secrets\` and set it, name another with key_variable, or set that to null.`,
    },
  );
}
