import type { Clock } from "../contracts/clock.ts";
import type { FileStore } from "../contracts/files.ts";
import type { ProcessIdentities } from "../contracts/owner.ts";
import type { ProcessCapability } from "../contracts/process.ts";
import type { DockerCommand, SandboxCapability, SandboxProvider } from "../contracts/sandbox.ts";
import { AssayError } from "../errors/assay-error.ts";

export interface RunSandboxesOptions {
  readonly process: ProcessCapability;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly identities: ProcessIdentities;
  readonly scratch: string;
  readonly runId: string;
  readonly token: string;
}

/** The providers of one run: one per engine command, made when it is first asked for. */
export class RunSandboxes implements SandboxCapability {
  readonly #options: RunSandboxesOptions;
  readonly #providers = new Map<string, Promise<SandboxProvider>>();

  constructor(options: RunSandboxesOptions) {
    this.#options = options;
  }

  async docker({ program: name, baseDir }: DockerCommand): Promise<SandboxProvider> {
    const program = await this.#options.process.find(name, { cwd: baseDir });
    if (program === null) {
      throw new AssayError(
        "ASSAY_TOOL_NOT_FOUND",
        `Docker executable '${name}' was not found${name.includes("/") ? "" : " on PATH"}`,
        { remedy: "Install Docker, or Podman with its docker command." },
      );
    }
    const known = this.#providers.get(program) ?? this.#makeDocker(program);
    this.#providers.set(program, known);
    return await known;
  }

  /** Stops every sandbox that is left. */
  async close(): Promise<void> {
    const closing = [...this.#providers.values()].map(async (provider) => (await provider).close());
    const failed = (await Promise.allSettled(closing)).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  async #makeDocker(program: string): Promise<SandboxProvider> {
    const { DockerProvider } = await import("./docker/provider.ts");
    return new DockerProvider({ ...this.#options, program });
  }
}
