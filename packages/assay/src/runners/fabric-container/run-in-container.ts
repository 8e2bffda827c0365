import path from "node:path";

import type { ExecResult, Sandbox } from "../../contracts/sandbox.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import type { JsonObject } from "../../support/json.ts";
import type { AttemptContext } from "../define/attempt-context.ts";
import { formatOrder, type RunOrder } from "../fabric/order.ts";
import { type DriverEnding, driverSinks } from "../fabric/run-driver.ts";
import type { FabricContainerOptions } from "./options.ts";
import { containerEnvironment, inside, outNames } from "./places.ts";

/** Of the grace of an attempt, what ending the harness may take: the rest is for copying what it left. */
const graceShare = 0.25;

export type FabricContainerContext = AttemptContext<FabricContainerOptions>;

export interface ContainerRun extends DriverEnding {
  readonly hasRunOutOfMemory: boolean;
}

/** Runs the driver in its container to its end, or until the attempt is stopped. */
export async function runInContainer(
  sandbox: Sandbox,
  order: RunOrder,
  logs: string,
  context: FabricContainerContext,
): Promise<ContainerRun> {
  const { graceMs, options, signal } = context;
  const sinks = driverSinks(order.token, logs, context);
  const result = await sandbox.exec({
    argv: [options.python, inside.driver],
    cwd: inside.out,
    env: containerEnvironment(options, context),
    stdin: formatOrder(order),
    stdout: sinks.stdout,
    stderr: sinks.stderr,
    graceMs: graceMs * graceShare,
    signal,
  });
  return {
    ...endingOf(result, sandbox),
    ...sinks.ended(result),
    survivorsKilled: 0,
    hasRunOutOfMemory: result.ending === "oom_killed",
  };
}

type Ending = Pick<DriverEnding, "ending" | "exitCode" | "signalName" | "spawnError">;

/** A container that is gone is nobody's doing. */
function endingOf({ ending, exitCode }: ExecResult, { name }: Sandbox): Ending {
  const none = { signalName: null, spawnError: null };
  switch (ending) {
    case "died":
    case "vanished":
      throw new AssayError(
        "ASSAY_SANDBOX_FAILED",
        `the container ${name} ${ending} under NeMo Fabric`,
      );
    case "timed_out":
    case "cancelled":
      return { ...none, ending: "cancelled", exitCode: null };
    case "oom_killed":
    case "exited":
      return { ...none, ending: "exited", exitCode: exitCode ?? 137 };
  }
}

export interface CollectedFiles {
  readonly metadata: JsonObject;
  /** Why they could not be copied. */
  readonly problem: string | null;
}

/** Takes what the container has to show, in place of what was put in: private files of this user. */
export async function collectFiles(
  sandbox: Sandbox,
  { files, signal }: Pick<FabricContainerContext, "files" | "signal">,
  directory: string,
): Promise<CollectedFiles> {
  const taken = path.join(directory, "out");
  try {
    // An attempt that was stopped has its grace for this.
    const facts = await sandbox.download(inside.out, taken, signal.aborted ? {} : { signal });
    for (const name of outNames) {
      const from = path.join(taken, name);
      if ((await files.stat(from)) === null) continue;
      await files.remove(path.join(directory, name));
      await files.rename(from, path.join(directory, name));
    }
    const { omitted, isTruncated } = facts;
    const metadata = {
      ...(Object.keys(omitted).length === 0 ? {} : { files_omitted: { ...omitted } }),
      ...(isTruncated ? { files_truncated: true } : {}),
    };
    return { metadata, problem: null };
  } catch (thrown) {
    return { metadata: {}, problem: messageOf(thrown) };
  } finally {
    await files.remove(taken);
  }
}
