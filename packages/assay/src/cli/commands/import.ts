import { Command } from "commander";

import type { ImportLoss } from "../../entries/index.ts";
import { exitCodes } from "../../errors/exit-codes.ts";
import { type BundleFlags, beginBundle } from "../begin-bundle.ts";
import { type CommandContext, printJson, printLines } from "../context.ts";
import { endRun } from "../end-run.ts";
import { collectPair } from "../settings.ts";
import { showResult } from "../show-result.ts";
import { stopControl } from "../stop-control.ts";

export function importCommand(context: CommandContext): Command {
  return new Command("import")
    .description("Make a bundle of results that another tool has left; nothing is run.")
    .argument("<format>", "which tool they are of")
    .argument("<path>", "the results: see below")
    .requiredOption("--out <dir>", "where the bundle goes; no run may be there")
    .option("--label <key=value>", "tag the bundle; repeatable", collectPair)
    .option("--sign-key <file>", "sign the bundle with a private Ed25519 key in PEM")
    .option("--json", "print the result as JSON")
    .option("--quiet", "print no summary, only how it ended")
    .addHelpText("after", notes)
    .action((format: string, path: string, flags: BundleFlags) =>
      importResults(context, { format, path }, flags),
    );
}

// Each format with what its path may be; a test holds it against the importers that there are.
const notes = `
Formats:
  codex   a folder of logs of \`codex exec --json\` (*.jsonl), or one of them
  fabric  a folder of results of NeMo Fabric (*.json), or one of them
  gym     a file of rollouts of NeMo Gym, or a folder with rollouts.jsonl
  harbor  a job directory of Harbor, the directory of one of its trials, the
          result.json in it, or the summary of an older evaluation

What the results hold and a bundle has no place for is listed, and recorded in
the target. The trials are scored by the metrics that read their rewards;
\`assay rescore\` scores them by others.
`;

async function importResults(
  context: CommandContext,
  { format, path }: { readonly format: string; readonly path: string },
  flags: BundleFlags,
): Promise<void> {
  const { AgentEvaluator } = await import("../../entries/index.ts");
  const { cwd, env } = context.io;
  const stop = stopControl(context.io);
  try {
    const options = await beginBundle(context, flags, stop);
    const evaluator = new AgentEvaluator({ cwd, env });
    const { result, losses } = await evaluator.importResults(format, path, options);
    endRun(context, result, stop);
    // Everything was brought in: that the tool could not produce some of it is no failure of the import.
    if (result.status === "completed") context.exitCode = exitCodes.done;
    if (flags.json === true)
      return await printJson(context, { ...result.toJSON(), losses, exit_code: context.exitCode });
    if (flags.quiet !== true) await printLines(context, await lossLines(context, losses));
    await showResult(context, result, flags);
  } finally {
    stop.release();
  }
}

/** What has no place in the bundle, said before what has. */
async function lossLines(
  { io, secrets }: CommandContext,
  losses: readonly ImportLoss[],
): Promise<readonly string[]> {
  const { redactFacts, visibleLine, wrapText } = await import("../../entries/index.ts");
  if (losses.length === 0) return [];
  const shown = await redactFacts(losses, io.env, secrets);
  const lines = shown.flatMap(({ field, reason, count }) =>
    wrapText(visibleLine(`${field}: ${reason} (${count})`), {
      width: 80,
      first: "  ",
      next: "    ",
    }),
  );
  return ["Left out, for a bundle has no place for it", ...lines, ""];
}
