import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ProcessResult } from "../../packages/assay/src/contracts/process.ts";
import { createNodePlatform } from "../../packages/assay/src/platform/node-platform.ts";
import { DockerClient } from "../../packages/assay/src/sandbox/docker/client.ts";
import {
  DockerProvider,
  type DockerProviderOptions,
} from "../../packages/assay/src/sandbox/docker/provider.ts";
import { newToken } from "../../packages/assay/src/support/ids.ts";
import { onPath } from "../support/tools.ts";

/** Made by scripts/with-docker.sh: a shell and its small programs, no `timeout`. */
export const baseImage = "assay-test/base:1";

export interface DockerKit {
  readonly provider: DockerProvider;
  readonly client: DockerClient;
  readonly token: string;
  readonly options: DockerProviderOptions;
  readonly directory: string;
  /** Another provider of the same run and process. */
  another(options?: Partial<DockerProviderOptions>): DockerProvider;
  docker(...args: string[]): Promise<ProcessResult>;
  /** Names of the containers and volumes that carry the token. */
  left(token?: string): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

export function dockerKit(): DockerKit {
  const platform = createNodePlatform({});
  const token = newToken();
  const directory = mkdtempSync(join(tmpdir(), "assay-docker-kit-"));
  const { files, clock, identities } = platform;
  const access = {
    program: onPath("docker") ?? "docker",
    process: platform.process(token),
    files,
    scratch: directory,
  };
  const options = { ...access, clock, identities, runId: "agent-eval-test", token };
  const provider = new DockerProvider(options);
  const client = new DockerClient(access);
  const left = async (of = token) => {
    const filter = ["--filter", `label=dev.assay.run=${of}`];
    const things = await Promise.all([
      client.answer("", ["container", "ls", "--all", ...filter, "--format", "{{.Names}}"]),
      client.answer("", ["volume", "ls", ...filter, "--format", "{{.Name}}"]),
    ]);
    return things.flatMap((text) => text.split("\n")).filter((name) => name !== "");
  };
  return {
    provider,
    client,
    token,
    options,
    directory,
    another: (changes) => new DockerProvider({ ...options, ...changes }),
    docker: (...args) => client.run(args),
    left,
    dispose: async () => {
      await provider.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Of all processes of this machine, with NULs between the arguments. */
export function commandLines(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        return "";
      }
    });
}
