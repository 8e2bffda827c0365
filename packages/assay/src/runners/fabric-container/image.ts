import path from "node:path";

import type { ProbeContext } from "../../contracts/runner.ts";
import type { SandboxImage, SandboxProvider } from "../../contracts/sandbox.ts";
import type { AttemptContext } from "../define/attempt-context.ts";
import type { FabricContainerOptions } from "./options.ts";

type ImageOptions = Pick<FabricContainerOptions, "image" | "baseImage" | "packages">;

/** The recipe of an image that is built. In lists and not in shells: no name is taken for more than a name. */
export function dockerfileOf({ baseImage, packages }: ImageOptions): string {
  const install = ["python3", "-m", "pip", "install", "--no-cache-dir", ...packages];
  return `FROM ${baseImage}\nRUN ${JSON.stringify(install)}\n`;
}

/** The image of a run: the one that is named, or one that is built, once for each recipe. */
export async function findImage(
  options: ImageOptions,
  docker: SandboxProvider,
  { files, scratch, signal }: Pick<ProbeContext, "files" | "scratch" | "signal">,
): Promise<SandboxImage> {
  if (options.image !== null) return await docker.resolveImage(options.image, { signal });
  const context = path.join(scratch, "fabric-image");
  await files.makePrivateDirectory(context);
  await files.writeAtomic(path.join(context, "Dockerfile"), dockerfileOf(options));
  return await docker.buildImage({ context }, { signal });
}

/** The image that was probed: what its tag means by now does not matter. */
export function probedImage({ tool }: Pick<AttemptContext<unknown>, "tool">): SandboxImage | null {
  const { image_digest: digest, registry_digest: registryDigest } = tool?.resolved ?? {};
  const reference = tool?.observed?.["image"];
  if (typeof digest !== "string" || typeof reference !== "string") return null;
  return {
    reference,
    digest,
    registryDigest: typeof registryDigest === "string" ? registryDigest : null,
  };
}

/** What is told of the image before there is one. */
export function describeImage(options: ImageOptions): string {
  return options.image ?? `${options.baseImage} with ${options.packages.join(", ")}`;
}
