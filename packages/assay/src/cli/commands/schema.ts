import { Command } from "commander";

import { type CommandContext, printJson, printLines } from "../context.ts";

export function schemaCommand(context: CommandContext): Command {
  return new Command("schema")
    .description("Print the JSON Schema of a file, or of the settings of a metric.")
    .argument("[name]", "one of the files and metrics that are listed without it")
    .option("--json", "list the names as JSON")
    .action(async (name: string | undefined, { json = false }: { readonly json?: boolean }) => {
      if (name !== undefined) return await printJson(context, await schemaOf(name));
      const { describeMetrics } = await import("../../entries/index.ts");
      const { schemaNames: files } = await import("../../entries/bundle.ts");
      const { namesDocument, namesLines } = await import("../print/schema-text.ts");
      const metrics = await describeMetrics();
      if (json) await printJson(context, namesDocument(files, metrics));
      else await printLines(context, namesLines(files, metrics));
    });
}

async function schemaOf(name: string): Promise<unknown> {
  const { describeMetrics } = await import("../../entries/index.ts");
  const { schemaNames, wireSchemaOf } = await import("../../entries/bundle.ts");
  if (schemaNames.includes(name)) return wireSchemaOf(name);
  const metrics = await describeMetrics();
  const metric = metrics.find(({ type }) => type === name);
  return (
    metric?.schema ??
    wireSchemaOf(
      name,
      metrics.map(({ type }) => type),
    )
  );
}
