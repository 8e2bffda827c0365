import type { Command } from "commander";

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
  const context: CommandContext = { io, argv, secrets: new Set(), exitCode: 0 };
  const place = { io, isJson, command: argv[0] ?? "", secrets: context.secrets };
  const tell = (thrown: unknown) => reportError(thrown, place);
  io.onStrayError((thrown) => void tell(thrown).then((code) => io.exit(code)));
  try {
    return await runCommand(argv, context);
  } catch (thrown) {
    return await tell(thrown);
  }
}

async function runCommand(argv: readonly string[], context: CommandContext): Promise<number> {
  const { io } = context;
  const [first] = argv;
  if (first === "--version" || first === "-V") {
    const { assayVersion } = await import("../entries/index.ts");
    io.stdout.write(`${await assayVersion()}\n`);
    return 0;
  }
  const program = createProgram(context);
  if (first === undefined) {
    io.stderr.write(program.helpInformation());
    return 2;
  }
  if (io.cwd === "") {
    const { AssayError } = await import("../entries/index.ts");
    throw new AssayError("ASSAY_DIRECTORY_GONE", "the working directory does not exist any more");
  }
  await program.parseAsync(withKnownTopic(argv, program), { from: "user" });
  return context.exitCode;
}

/** `help` of what does not exist is told like the command itself: as an unknown one, with a suggestion. */
function withKnownTopic(argv: readonly string[], program: Command): string[] {
  const [first, topic] = argv;
  const isKnown = topic === undefined || program.commands.some((one) => one.name() === topic);
  return first !== "help" || isKnown || topic.startsWith("-") ? [...argv] : [topic];
}
