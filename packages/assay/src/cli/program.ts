import { Command, type Option } from "commander";

import { cleanCommand } from "./commands/clean.ts";
import { diffCommand } from "./commands/diff.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { importCommand } from "./commands/import.ts";
import { rescoreCommand } from "./commands/rescore.ts";
import { runCommand } from "./commands/run.ts";
import { runnersCommand } from "./commands/runners.ts";
import { schemaCommand } from "./commands/schema.ts";
import { showCommand } from "./commands/show.ts";
import { verifyCommand } from "./commands/verify.ts";
import type { CommandContext } from "./context.ts";

const commands = [
  runCommand,
  showCommand,
  rescoreCommand,
  verifyCommand,
  diffCommand,
  importCommand,
  runnersCommand,
  doctorCommand,
  schemaCommand,
  cleanCommand,
];

const exitCodeHelp = `
Exit codes:
  0         done
  2         the input is wrong, nothing was run
  3         something needed is missing, nothing was run
  4         ended, but some trials or scores are missing, or a limit was met;
            or a bundle has no digests, so nothing of it can be verified
  5         a bundle is damaged or altered
  70        a bug in Assay
  130, 143  interrupted; what is finished is kept, and the run can be resumed
`;

function describeOption({ description, mandatory }: Option): string {
  return mandatory ? `${description} (required)` : description;
}

/** The tree of commands. What a command needs is loaded when it is used, so that help is quick. */
export function createProgram(context: CommandContext): Command {
  const { io } = context;
  const program = new Command("assay")
    .description("Evaluate AI agents, and know what produced every result.")
    .option("-V, --version", "print the version")
    .helpCommand("help [command]", "show the help of a command")
    .addHelpText("after", exitCodeHelp);
  for (const command of commands) program.addCommand(command(context));
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .showHelpAfterError(false)
      .configureHelp({ optionDescription: describeOption })
      .configureOutput({
        writeOut: (text) => io.stdout.write(text),
        // Usage errors are told by `reportError`, like every other error.
        writeErr: () => {},
        getOutHelpWidth: () => Math.max(40, Math.min(io.stdout.columns || 80, 100)),
        getOutHasColors: () => false,
      });
  }
  return program;
}
