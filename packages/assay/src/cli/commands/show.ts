import { Command } from "commander";

import { type CommandContext, printJson, printLines } from "../context.ts";

export function showCommand(context: CommandContext): Command {
  return new Command("show")
    .description("Show a bundle: summary, what made it, what failed.")
    .argument("<bundle>", "the directory that holds run.json")
    .option("--json", "print it as JSON")
    .action((bundle: string, flags: { readonly json?: boolean }) => show(context, bundle, flags));
}

async function show(
  context: CommandContext,
  dir: string,
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const { readBundle } = await import("../../entries/index.ts");
  const { collectFailures, failureLines } = await import("../print/failures.ts");
  const { endingLines, provenanceLines } = await import("../print/provenance-text.ts");
  const { cwd, env } = context.io;
  const bundle = await readBundle(dir, { cwd, env });
  const failures = await collectFailures(bundle);
  if (json) {
    const { exit_code: _notOfARead, ...document } = bundle.toJSON();
    return printJson(context, {
      ...document,
      failures: failures.shown,
      failure_count: failures.count,
      provenance: bundle.provenance,
    });
  }
  printLines(context, [
    (await bundle.formatSummary()).trimEnd(),
    "",
    ...provenanceLines(bundle.metadata, bundle.provenance),
    ...failureLines(failures),
    "",
    ...endingLines(bundle, cwd),
  ]);
}
