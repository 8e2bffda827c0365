import type { RunOptions } from "../entries/index.ts";
import type { CommandContext } from "./context.ts";
import { recordedArguments } from "./run-settings.ts";
import type { StopControl } from "./stop-control.ts";

/** What a command is given that makes a bundle of trials that are there. */
export interface BundleFlags {
  readonly out: string;
  readonly label?: Readonly<Record<string, string>>;
  readonly signKey?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The options that make it. Its warnings are told, and from now on a signal ends it in order. */
export async function beginBundle(
  { io, argv, secrets }: CommandContext,
  { out, label, signKey }: BundleFlags,
  stop: StopControl,
): Promise<RunOptions> {
  const { visibleLine } = await import("../entries/index.ts");
  const warn = (message: string) => io.stderr.write(`warning: ${visibleLine(message)}\n`);
  stop.runStarts({ workDir: out, secrets, warn });
  return {
    workDir: out,
    signal: stop.signal,
    invocation: recordedArguments(argv),
    onEvent: (event) => {
      if (event.type === "warning") warn(event.message);
    },
    ...(label === undefined ? {} : { labels: label }),
    ...(signKey === undefined ? {} : { signKeyFile: signKey }),
  };
}
