import { removeComposeResidue } from "../../sandbox/docker/compose-residue.ts";
import { newToken } from "../../support/ids.ts";
import type { Platform } from "../platform.ts";
import type { ContainersReport } from "./clean-containers.ts";

/** What a clean-up found and did: on disk, among processes and in the container engine. */
export interface CleanReport extends ScratchReport {
  readonly containers: ContainersReport;
}

export interface ScratchReport {
  readonly isDryRun: boolean;
  readonly removed: readonly CleanedRun[];
  /** Scratch directories whose run still goes on, or whose owner cannot be known from here. */
  readonly kept: readonly { readonly path: string; readonly runId: string }[];
}

export interface CleanedRun {
  readonly path: string;
  readonly runId: string;
  readonly createdAt: string;
  /** Processes of the dead run that were ended; null in a dry run. */
  readonly endedProcesses: number | null;
}

/**
 * Ends what carries a dead run's token or lives in its scratch, which it removes; nothing of a live run is touched. With
 * a run id, only what that run left.
 */
export async function cleanScratch(
  platform: Pick<Platform, "listScratch" | "removeScratch" | "reap" | "process">,
  { isDryRun, runId: only }: { readonly isDryRun: boolean; readonly runId?: string },
): Promise<ScratchReport> {
  const removed: CleanedRun[] = [];
  const kept: ScratchReport["kept"][number][] = [];
  for (const entry of await platform.listScratch()) {
    const { path, runId, createdAt, token } = entry;
    if (only !== undefined && runId !== only) continue;
    if (entry.isAlive) {
      kept.push({ path, runId });
      continue;
    }
    const endedProcesses = isDryRun ? null : await platform.reap({ token, directory: path });
    if (!isDryRun) {
      // Containers that a tool made with Compose tell the folder in which it worked; its processes are gone by now.
      await removeComposeResidue({ directory: path }, platform.process(newToken()));
      await platform.removeScratch(entry);
    }
    removed.push({ path, runId, createdAt, endedProcesses });
  }
  return { isDryRun, removed, kept };
}
