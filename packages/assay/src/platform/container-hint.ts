import { existsSync, readFileSync } from "node:fs";

/** What says in which container this process runs; other places to look are for tests. */
export interface ContainerSigns {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly exists: (path: string) => boolean;
  /** The control groups of the first process. */
  readonly controlGroups: () => string;
}

/** The kind of container that this process runs in, by the marks that its makers leave; null without any. */
export function containerHint({ env, exists, controlGroups }: ContainerSigns): string | null {
  if (env["KUBERNETES_SERVICE_HOST"] !== undefined) return "kubernetes";
  if (exists("/run/.containerenv")) return "podman";
  if (exists("/.dockerenv")) return "docker";
  const named = /^[a-z][a-z0-9-]{0,30}$/.exec(env["container"] ?? "")?.[0];
  if (named !== undefined) return named;
  const [kind] = /kubepods|docker|libpod|containerd|lxc/.exec(controlGroups()) ?? [];
  if (kind === "kubepods") return "kubernetes";
  return kind === "libpod" ? "podman" : (kind ?? null);
}

export function systemSigns(env: ContainerSigns["env"]): ContainerSigns {
  return { env, exists: existsSync, controlGroups: readControlGroups };
}

function readControlGroups(): string {
  try {
    return readFileSync("/proc/1/cgroup", "utf8");
  } catch {
    // Not Linux, or hidden: that says nothing.
    return "";
  }
}
