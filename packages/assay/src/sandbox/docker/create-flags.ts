import type { SandboxLimits, SandboxMount, SandboxSpec } from "../../contracts/sandbox.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { JsonObject } from "../../support/json.ts";

const defaultWorkdir = "/workspace";
const defaultLifetimeMs = 24 * 60 * 60_000;
const roundS = 20;

/**
 * The first process of a container reaps what others leave, as `wait` of a shell does, and ends by itself should nobody
 * be left to end it. It takes no signal, so that nothing inside can end it: a shell given a script by `-c` would handle
 * SIGINT, and end. Its `sleep` may be killed with the rest.
 */
const firstProcess = `
trap '' HUP INT QUIT TERM
rounds=$1
while [ "$rounds" -gt 0 ]; do
  sleep ${roundS} & wait "$!"
  rounds=$((rounds - 1))
done`;

export interface FlagContext {
  /** The flags that hand over the environment. */
  readonly environment: readonly string[];
  readonly isPodman: boolean;
}

/** Pure: what follows `docker run --detach` and the labels. */
export function createFlags(
  name: string,
  spec: SandboxSpec,
  { environment, isPodman }: FlagContext,
): string[] {
  const { image, limits = {}, mounts = [], user, network = "none" } = spec;
  const rounds = Math.ceil((spec.lifetimeMs ?? defaultLifetimeMs) / (roundS * 1000));
  return [
    ...["--name", name],
    // It was resolved before: no tag is looked up, and nothing is fetched.
    ...["--pull", "never"],
    ...["--log-driver", "none"],
    "--no-healthcheck",
    // Its first process ends at no request: Podman would wait for it when it is removed.
    ...["--stop-timeout", "0"],
    ...["--network", network],
    // Podman does not know this way to tell it: see the provider.
    ...(network === "bridge" && !isPodman
      ? ["--add-host", "host.docker.internal:host-gateway"]
      : []),
    ...limitFlags(limits),
    ...(spec.isRootReadOnly === true ? readOnlyFlags(name, workdirOf(spec)) : []),
    ...mounts.flatMap(mountFlags),
    ...(user === undefined ? [] : ["--user", user]),
    // Podman does not make it, so it is made afterwards.
    ...["--workdir", isPodman ? "/" : workdirOf(spec)],
    ...environment,
    ...["--entrypoint", "sh"],
    image.digest,
    ...["-c", firstProcess, "sh", String(rounds)],
  ];
}

function limitFlags({ memoryBytes, cpus, processes, diskBytes }: SandboxLimits): string[] {
  return [
    ...(memoryBytes === undefined
      ? []
      : ["--memory", String(memoryBytes), "--memory-swap", String(memoryBytes)]),
    ...(cpus === undefined ? [] : ["--cpus", String(cpus)]),
    ...(processes === undefined ? [] : ["--pids-limit", String(processes)]),
    ...(diskBytes === undefined ? [] : ["--storage-opt", `size=${diskBytes}`]),
  ];
}

function readOnlyFlags(name: string, workdir: string): string[] {
  return [
    "--read-only",
    ...["--tmpfs", "/tmp:rw,exec,nosuid,nodev,mode=1777"],
    ...["--mount", csv(["type=volume", `src=${volumeName(name)}`, `dst=${workdir}`])],
  ];
}

/** The volume that the workdir of a container with a read-only root is. */
export function volumeName(container: string): string {
  return `${container}-workdir`;
}

function mountFlags({ source, target }: SandboxMount): string[] {
  return ["--mount", csv(["type=bind", `src=${source}`, `dst=${target}`, "readonly"])];
}

/** `--mount` takes a line of comma-separated values. */
function csv(fields: readonly string[]): string {
  return fields
    .map((field) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
    .join(",");
}

export function workdirOf({ workdir = defaultWorkdir }: Pick<SandboxSpec, "workdir">): string {
  return workdir;
}

/** Throws for what no engine need be asked about. */
export function checkSpec({ mounts = [], ...spec }: SandboxSpec): void {
  checkAbsolute("the workdir", workdirOf(spec));
  for (const { source, target } of mounts) {
    checkAbsolute("the source of a mount", source);
    checkAbsolute("the target of a mount", target);
  }
}

function checkAbsolute(what: string, path: string): void {
  if (path.startsWith("/") && !path.includes("\0") && !path.split("/").includes("..")) return;
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    `${what} of a sandbox must be absolute, without "..": ${JSON.stringify(path)}`,
  );
}

/** What is recorded of a sandbox. */
export function recordOf(provider: string, spec: SandboxSpec): JsonObject {
  const { image, limits = {}, network = "none", user = null, mounts = [] } = spec;
  return {
    provider,
    isolation: "container",
    image: image.reference,
    image_digest: image.digest,
    registry_digest: image.registryDigest,
    network,
    limits: {
      memory_bytes: limits.memoryBytes ?? null,
      cpus: limits.cpus ?? null,
      processes: limits.processes ?? null,
      disk_bytes: limits.diskBytes ?? null,
    },
    read_only_root: spec.isRootReadOnly ?? false,
    user,
    workdir: workdirOf(spec),
    mounted: mounts.map(({ target }) => target),
  };
}
