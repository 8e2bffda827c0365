import { Command } from "commander";

import { type CommandContext, printJson, printLines } from "../context.ts";

export function runnersCommand(context: CommandContext): Command {
  return new Command("runners")
    .description("Show each runner: what it needs, its options, their roles and defaults.")
    .option("--json", "print it as JSON")
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const { describeRunners } = await import("../../entries/index.ts");
      const { runnerLines, runnersDocument } = await import("../print/runners-text.ts");
      const runners = await describeRunners();
      if (json) await printJson(context, runnersDocument(runners));
      else await printLines(context, runners.flatMap(runnerLines).slice(1));
    });
}
