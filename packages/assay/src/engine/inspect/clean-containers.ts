import { AssayError } from "../../errors/assay-error.ts";
import { newToken } from "../../support/ids.ts";
import type { Platform } from "../platform.ts";

/** A container, or the volume of one, that a run made. */
export interface CleanedContainer {
  readonly kind: "container" | "volume";
  readonly name: string;
  readonly runId: string;
}

export interface ContainersReport {
  /** Those of dead runs; in a dry run they are still there. */
  readonly removed: readonly CleanedContainer[];
  /** Their run still goes on, or its process cannot be seen from here. */
  readonly kept: readonly CleanedContainer[];
  /** Why none was looked at, where there is a docker command. */
  readonly problem: string | null;
}

const none = { removed: [], kept: [] };

/** Removes the containers that dead runs left. The engine knows whose they are; nothing of a live run is touched. */
export async function cleanContainers(
  platform: Pick<Platform, "process" | "files" | "clock" | "identities">,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<ContainersReport> {
  const { files, clock, identities } = platform;
  const process = platform.process(newToken());
  const program = await process.find("docker");
  if (program === null) return { ...none, problem: null };
  const [{ DockerClient }, { askEngine }, { sweepDead }] = await Promise.all([
    import("../../sandbox/docker/client.ts"),
    import("../../sandbox/docker/engine.ts"),
    import("../../sandbox/docker/sweep.ts"),
  ]);
  // Nothing is written there: no environment is handed over.
  const client = new DockerClient({ program, process, files, scratch: "/" });
  try {
    await askEngine(client);
    const { livenessOf } = identities;
    const { removed, kept } = await sweepDead(client, { clock, livenessOf, isDryRun });
    return { removed: removed.map(shown), kept: kept.map(shown), problem: null };
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
    return { ...none, problem: thrown.message };
  }
}

function shown({ kind, name, runId }: CleanedContainer): CleanedContainer {
  return { kind, name, runId };
}
