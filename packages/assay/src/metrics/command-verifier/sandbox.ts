import type { VerifierSandbox } from "../../contracts/evidence.ts";
import type { PreflightContext } from "../../contracts/metric.ts";
import type { SandboxCapability, SandboxImage, SandboxProvider } from "../../contracts/sandbox.ts";
import { sandboxLimits } from "../../schema/sandbox-limits.ts";
import type { VerifierSandboxConfig } from "./config.ts";

/** The containers of one metric: all those of a run are made of the image that was found before its first trial. */
export class VerifierContainers {
  readonly #config: VerifierSandboxConfig;
  readonly #images = new WeakMap<SandboxCapability, Promise<SandboxImage>>();

  constructor(config: VerifierSandboxConfig) {
    this.#config = config;
  }

  /** Throws `ASSAY_TOOL_NOT_FOUND`, `ASSAY_TOOL_UNUSABLE`, `ASSAY_IMAGE_NOT_FOUND`. */
  async image(context: Pick<PreflightContext, "sandboxes" | "baseDir">): Promise<SandboxImage> {
    const { sandboxes } = context;
    const known = this.#images.get(sandboxes) ?? this.#resolve(context);
    this.#images.set(sandboxes, known);
    return await known;
  }

  async forTrial(
    trialId: string,
    context: Pick<PreflightContext, "sandboxes" | "baseDir">,
  ): Promise<VerifierSandbox> {
    const { network } = this.#config;
    const image = await this.image(context);
    const limits = sandboxLimits(this.#config);
    const spec = { image, trialId: `verify-${trialId}`, network, limits };
    return { provider: await docker(context), spec };
  }

  async #resolve(context: Pick<PreflightContext, "sandboxes" | "baseDir">): Promise<SandboxImage> {
    return await (await docker(context)).resolveImage(this.#config.image);
  }
}

async function docker({
  sandboxes,
  baseDir,
}: Pick<PreflightContext, "sandboxes" | "baseDir">): Promise<SandboxProvider> {
  return await sandboxes.docker({ program: "docker", baseDir });
}
