/** Names one process for good: over ends and reuse of its pid, restarts of the machine, containers and hosts. */
export interface ProcessIdentity {
  readonly hostname: string;
  /** Changes with every start of the machine; null where the system has none. */
  readonly bootId: string | null;
  /** Pids of another namespace (a container) mean other processes. */
  readonly pidNamespace: string | null;
  readonly pid: number;
  /** Clock ticks between the start of the machine and of the process. */
  readonly startTicks: number | null;
}

/** `elsewhere`: it belongs to another host or container, so it cannot be seen whether it lives. */
export type Liveness = "alive" | "dead" | "elsewhere";

/** Who this process is, and whether another one lives. */
export interface ProcessIdentities {
  own(): ProcessIdentity;
  livenessOf(identity: ProcessIdentity): Liveness;
}
