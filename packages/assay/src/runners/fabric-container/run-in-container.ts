import type { ExecResult, Sandbox } from "../../contracts/sandbox.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { AttemptContext } from "../define/attempt-context.ts";
import { formatOrder, type RunOrder } from "../fabric/invocation.ts";
import { type DriverEnding, driverSinks } from "../fabric/run-driver.ts";
import { containerEnvironment, inside } from "./invocation.ts";
import type { FabricContainerOptions } from "./options.ts";

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
