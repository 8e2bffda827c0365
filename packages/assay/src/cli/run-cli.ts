import type { CommandContext } from "./context.ts";
import type { CliIo } from "./io.ts";
import { createProgram } from "./program.ts";
import { reportError } from "./report-error.ts";

/** Runs one command line and gives its exit code. Nothing is thrown: errors are told on stderr, or as JSON on stdout. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  const isJson = argv
    .slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length)
    .includes("--json");
  if (isJson) io.claimStdout();
  const context: CommandContext = { io, argv, exitCode: 0 };
  try {
    await createProgram(context).parseAsync([...argv], { from: "user" });
    return context.exitCode;
  } catch (thrown) {
    return await reportError(thrown, { io, isJson });
  }
}
