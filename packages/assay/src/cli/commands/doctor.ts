import { Command } from "commander";

import type { DoctorReport } from "../../entries/index.ts";
import { exitCodes } from "../../errors/exit-codes.ts";
import { type CommandContext, printJson, printLines } from "../context.ts";
import { collectText } from "../settings.ts";

interface DoctorFlags {
  readonly variable?: readonly string[];
  readonly json?: boolean;
}

const notes = `
Ends with exit code 3 when a variable asked for is not set, or no scratch
directory can be made; what a runner misses matters only to who uses it.
`;

export function doctorCommand(context: CommandContext): Command {
  return new Command("doctor")
    .description("Show what is installed here, and what each runner misses.")
    .option("--variable <name>", "also check that this variable is set; repeatable", collectText)
    .option("--json", "print it as JSON")
    .addHelpText("after", notes)
    .action(async ({ variable = [], json = false }: DoctorFlags) => {
      const { doctor } = await import("../../entries/index.ts");
      const { doctorDocument, doctorLines } = await import("../print/doctor-text.ts");
      const { cwd, env } = context.io;
      const report = await doctor({ cwd, env, variables: variable });
      if (json) await printJson(context, doctorDocument(report));
      else await printLines(context, doctorLines(report));
      if (isBlocked(report)) context.exitCode = exitCodes.missing;
    });
}

/** No run can be made here, or not the one that was asked about. */
function isBlocked({ tools, missingVariables }: DoctorReport): boolean {
  const scratch = tools[0];
  return missingVariables.length > 0 || (scratch !== undefined && scratch.state !== "ok");
}
