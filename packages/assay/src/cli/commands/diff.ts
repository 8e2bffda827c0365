import { Command } from "commander";

import { type CommandContext, printJson, printLines } from "../context.ts";
import { lineWidthOf } from "../show-result.ts";

export function diffCommand(context: CommandContext): Command {
  return new Command("diff")
    .description("Compare two bundles: settings first, then scores, task by task.")
    .argument("<a>", "the earlier bundle: the directory that holds run.json")
    .argument("<b>", "the later one; a change is B - A")
    .option("--json", "print it as JSON, with all that differs")
    .action((a: string, b: string, flags: { readonly json?: boolean }) =>
      diff(context, [a, b], flags),
    );
}

async function diff(
  context: CommandContext,
  [a, b]: readonly [string, string],
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const { diffBundles } = await import("../../entries/bundle.ts");
  const { cwd, env, stdout } = context.io;
  const found = await diffBundles(a, b, { cwd, env });
  if (json) return await printJson(context, found.toJSON());
  const { diffLines } = await import("../print/diff-text.ts");
  await printLines(context, diffLines(found, { cwd, width: lineWidthOf(stdout) }));
}
