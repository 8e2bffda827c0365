import { Command } from "commander";

import { type CommandContext, load } from "../context.ts";
import { endRun } from "../end-run.ts";
import { recordedArguments } from "../run-settings.ts";
import { collectPair } from "../settings.ts";
import { showResult } from "../show-result.ts";
import { orStalled, stopControl } from "../stop-control.ts";

interface RescoreFlags {
  readonly suite: string;
  readonly out: string;
  readonly parameter?: Readonly<Record<string, string>>;
  readonly label?: Readonly<Record<string, string>>;
  readonly signKey?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
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
  const { AgentEvaluator, AssayError, visibleLine } = await import("../../entries/index.ts");
  const stop = stopControl(context.io);
  try {
    const loading = load(context, flags.suite, flags.parameter);
    const suite = await orStalled(
      loading,
      stop.signal,
      (reason) => new AssayError("ASSAY_SUITE_LOAD_FAILED", `${flags.suite}: ${reason}`),
    );
    const { stderr } = context.io;
    const warn = (message: string) => stderr.write(`warning: ${visibleLine(message)}\n`);
    stop.runStarts({
      workDir: flags.out,
      secrets: context.secrets,
      warn,
    });
    const evaluator = new AgentEvaluator({ cwd: context.io.cwd, env: context.io.env });
    const result = await evaluator.rescore(bundle, suite, {
      workDir: flags.out,
      signal: stop.signal,
      invocation: recordedArguments(context.argv),
      onEvent: (event) => {
        if (event.type === "warning") warn(event.message);
      },
      ...(flags.label === undefined ? {} : { labels: flags.label }),
      ...(flags.signKey === undefined ? {} : { signKeyFile: flags.signKey }),
    });
    endRun(context, result, stop);
    await showResult(context, result, flags);
  } finally {
    stop.release();
  }
}
