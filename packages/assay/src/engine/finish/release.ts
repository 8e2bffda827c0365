import type { AgentTaskRunner } from "../../contracts/runner.ts";
import { describeThrown } from "../../errors/assay-error.ts";
import type { Platform, Scratch } from "../platform.ts";
import type { PreparedRun } from "../run-state.ts";

export interface Release {
  readonly runner: AgentTaskRunner;
  /** Null when it could not be prepared: then nobody can be told without showing secrets. */
  readonly run: PreparedRun | null;
  readonly token: string;
  readonly scratch: Scratch;
  readonly sandboxes: { close(): Promise<void> };
  readonly platform: Platform;
}

const disposeWithinMs = 60_000;

/** Gives back what a run held. By now the run is decided: what goes wrong here is told, and costs nothing more. */
export async function releaseRun(release: Release): Promise<void> {
  const { token, scratch, sandboxes, platform } = release;
  await orWarn(release, "the runner could not be disposed of", () => dispose(release));
  await orWarn(release, "sandboxes of the run may be left", () => sandboxes.close());
  await orWarn(release, "processes of the run could not be ended", async () => {
    await platform.reap({ token, directory: scratch.path });
  });
  await orWarn(release, `the scratch directory "${scratch.path}" is left`, () => scratch.remove());
}

async function dispose({ runner, platform: { clock } }: Release): Promise<void> {
  if (runner.dispose === undefined) return;
  const isDone = new AbortController();
  const isLate = clock.sleep(disposeWithinMs, isDone.signal).then(() => {
    throw new Error(`it took more than ${disposeWithinMs / 1000} s`);
  });
  try {
    await Promise.race([runner.dispose(), isLate]);
  } finally {
    // The sleep is over as well, and nobody waits for how it ended.
    isLate.catch(() => {});
    isDone.abort("disposed");
  }
}

async function orWarn({ run }: Release, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    run?.emit({ type: "warning", message: `${what}: ${describeThrown(thrown)}` });
  }
}
