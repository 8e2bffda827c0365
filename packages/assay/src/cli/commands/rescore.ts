import { Command } from "commander";
import { type BundleFlags, beginBundle } from "../begin-bundle.ts";
import { type CommandContext, load } from "../context.ts";
import { endRun } from "../end-run.ts";
import { collectPair } from "../settings.ts";
import { showResult } from "../show-result.ts";
import { stopControl } from "../stop-control.ts";

interface RescoreFlags extends BundleFlags {
  readonly suite: string;
  readonly parameter?: Readonly<Record<string, string>>;
}

export function rescoreCommand(context: CommandContext): Command {
  return new Command("rescore")
    .description("Score the trials of a bundle again; no agent is run.")
    .argument("<bundle>", "the directory that holds run.json")
    .requiredOption(
      "--suite <file>",
      "the suite that gives tasks and metrics; its target is not used",
    )
    .requiredOption("--out <dir>", "where the new bundle goes; no run may be there")
    .option("-P, --parameter <key=value>", "give the suite a parameter; repeatable", collectPair)
    .option("--label <key=value>", "tag the new bundle; repeatable", collectPair)
    .option("--sign-key <file>", "sign the new bundle with a private Ed25519 key in PEM")
    .option("--json", "print the result as JSON")
    .option("--quiet", "print no summary, only how it ended")
    .action((bundle: string, flags: RescoreFlags) => rescore(context, bundle, flags));
}

async function rescore(
  context: CommandContext,
  bundle: string,
  flags: RescoreFlags,
): Promise<void> {
  const { AgentEvaluator } = await import("../../entries/index.ts");
  const stop = stopControl(context.io);
  try {
    const { suite: file, parameter: parameters } = flags;
    const suite = await load(context, file, { parameters, signal: stop.signal });
    const options = await beginBundle(context, flags, stop);
    const evaluator = new AgentEvaluator({ cwd: context.io.cwd, env: context.io.env });
    const result = await evaluator.rescore(bundle, suite, options);
    endRun(context, result, stop);
    await showResult(context, result, flags);
  } finally {
    stop.release();
  }
}
