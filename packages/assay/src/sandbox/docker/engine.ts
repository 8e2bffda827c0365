import { z } from "zod";

import type { SandboxEngine } from "../../contracts/sandbox.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { parseJson } from "../../support/json.ts";
import { isOlder, parseVersion } from "../../support/versions.ts";
import { complaintOf, type DockerClient, isGood } from "./client.ts";

const oldestVersion = "20.10.0";

const versionSchema = z.object({
  Client: z.object({
    Version: z.string(),
    // Docker has `ApiVersion`.
    APIVersion: z.string().optional(),
    OsArch: z.string().optional(),
  }),
  Server: z
    .object({ Version: z.string(), Os: z.string().optional(), Arch: z.string().optional() })
    .nullish(),
});

/** It differs from Docker where its front end does. */
export function isPodman({ client }: Pick<SandboxEngine, "client">): boolean {
  return client.startsWith("podman ");
}

/** Throws `environment` errors: nothing can be run without it. */
export async function askEngine(client: DockerClient): Promise<SandboxEngine> {
  const result = await client.run(["version", "--format", "{{json .}}"], { timeoutMs: 20_000 });
  if (!isGood(result)) {
    const said = complaintOf(result);
    throw new AssayError("ASSAY_TOOL_UNUSABLE", `no Docker engine answers: ${said}`, {
      remedy: "Start the Docker engine, and check DOCKER_HOST and `docker info`.",
    });
  }
  const { Client, Server } = versionSchema.parse(parseJson(result.stdout.text, "docker version"));
  const hasPodmanShape = Client.APIVersion !== undefined;
  const version = Server?.Version ?? Client.Version;
  if (!hasPodmanShape && isOlder(parseVersion(version) ?? "0.0.0", oldestVersion)) {
    throw new AssayError(
      "ASSAY_TOOL_VERSION_TOO_OLD",
      `the Docker engine ${version} is older than ${oldestVersion}, the oldest version accepted`,
    );
  }
  const [os = "linux", architecture = "unknown"] = (Client.OsArch ?? "").split("/");
  return {
    client: `${hasPodmanShape ? "podman" : "docker"} ${Client.Version}`,
    version,
    os: Server?.Os ?? os,
    architecture: Server?.Arch ?? architecture,
  };
}
