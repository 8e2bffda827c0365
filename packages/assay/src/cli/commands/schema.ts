import { Command } from "commander";

import { type CommandContext, printJson, printLines } from "../context.ts";

export function schemaCommand(context: CommandContext): Command {
  return new Command("schema")
    .description("Print the JSON Schema of a file that Assay reads or writes.")
    .argument("[name]", "one of the names that are listed without it")
    .option("--json", "list the names as JSON")
    .action(async (name: string | undefined, { json = false }: { readonly json?: boolean }) => {
      const { schemaNames, wireSchemaOf } = await import("../../entries/bundle.ts");
      if (name !== undefined) printJson(context, wireSchemaOf(name));
      else if (json) printJson(context, schemaNames);
      else printLines(context, schemaNames);
    });
}
