import { Command } from "commander";

import { type CommandContext, printJson, printLines } from "../context.ts";
import { collectText } from "../settings.ts";

interface DoctorFlags {
  readonly variable?: readonly string[];
  readonly json?: boolean;
}

export function doctorCommand(context: CommandContext): Command {
  return new Command("doctor")
    .description("Show what is installed here, and what each runner misses.")
    .option("--variable <name>", "also check that this variable is set; repeatable", collectText)
    .option("--json", "print it as JSON")
    .action(async ({ variable = [], json = false }: DoctorFlags) => {
      const { doctor } = await import("../../entries/index.ts");
      const { doctorDocument, doctorLines } = await import("../print/doctor-text.ts");
      const { cwd, env } = context.io;
      const report = await doctor({ cwd, env, variables: variable });
      if (json) printJson(context, doctorDocument(report));
      else printLines(context, doctorLines(report));
    });
}
