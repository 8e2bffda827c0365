import type { ProbeContext, ToolFacts } from "../../../contracts/runner.ts";
import type { SandboxEngine, SandboxImage, SandboxProvider } from "../../../contracts/sandbox.ts";
import type { AttemptContext } from "../attempt-context.ts";
import type { ContainerOptions } from "./options.ts";

export const engineNeed = "A Docker engine 20.10 or later, and the docker command";

export async function dockerOf(
  { dockerBin }: Pick<ContainerOptions, "dockerBin">,
  { sandboxes, baseDir }: Pick<ProbeContext, "sandboxes" | "baseDir">,
): Promise<SandboxProvider> {
  return await sandboxes.docker({ program: dockerBin, baseDir });
}

/** What doctor asks: no image is fetched only to be looked at. */
export async function findEngine(context: ProbeContext): Promise<SandboxEngine> {
  return await (await dockerOf({ dockerBin: "docker" }, context)).facts();
}

/** What a probe found of engine and image: the image's content enters the resolved digest. */
export function imageFacts(
  { digest, registryDigest }: SandboxImage,
  { client, version }: SandboxEngine,
): Pick<Required<ToolFacts>, "resolved" | "observed"> {
  return {
    resolved: { image_digest: digest, registry_digest: registryDigest },
    observed: { docker: client, engine: version },
  };
}

/** The image that was probed: what its tag means by now does not matter. */
export async function probedImage(
  context: Pick<
    AttemptContext<ContainerOptions & { readonly image: string }>,
    "tool" | "options" | "signal" | "sandboxes" | "baseDir"
  >,
): Promise<SandboxImage> {
  const { tool, options, signal } = context;
  const { image_digest: digest, registry_digest: registryDigest } = tool?.resolved ?? {};
  if (typeof digest !== "string")
    return await (await dockerOf(options, context)).resolveImage(options.image, { signal });
  return {
    reference: options.image,
    digest,
    registryDigest: typeof registryDigest === "string" ? registryDigest : null,
  };
}
