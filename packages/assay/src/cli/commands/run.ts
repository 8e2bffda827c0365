import { Command } from "commander";

import type { EvalResult, RunOptions, Suite } from "../../entries/index.ts";
import { type CommandContext, load, printJson, printLines } from "../context.ts";
import { endRun, resumeCommand, tellHowToResume } from "../end-run.ts";
import { type RunFlags, recordedArguments, runOptionsOf, settingsOf } from "../run-settings.ts";
import {
  collectPair,
  collectSetting,
  collectText,
  positiveAmount,
  positiveInteger,
} from "../settings.ts";
import { showResult } from "../show-result.ts";
import { type StopControl, stopControl } from "../stop-control.ts";

const notes = `
An option of the target has the value that is nearest to the call: its default,
what the suite says, ASSAY_SET_TARGET__MODEL=x in the environment (two
underscores part the path, names are lower-cased), --set target.model=x.
The bundle records where each value comes from.

Progress goes to stderr and the result to stdout; its last line is the digest
of the bundle. With --json stdout holds one JSON document, and what the suite,
the agent or a program of theirs prints goes to stderr. Where stdout is a
socket, such as Node's spawn gives, programs that inherit it can still write to
it: give Assay a file, or a pipe of a shell. Ctrl-C ends the run in order: what
is finished is kept. A second one ends it at once, unless an agent in this
process is in a loop that never waits: only SIGKILL ends that, or a callable
with isolation "process". SIGTERM, SIGHUP and SIGQUIT do as Ctrl-C does, with
exit code 143 instead of 130.

What is finished is never run again: --resume goes on with the run in --out,
whatever ended it, and asks only for what is missing. Tasks, trials, parameters
and settings are taken from its plan; what differs from it is refused. More
--trials and more tasks extend it. When a limit is reached (--max-...) no
further trial is begun, those that run go on, and the run can be resumed with a
higher one.
`;

export function runCommand(context: CommandContext): Command {
  return new Command("run")
    .description("Run a suite, and write its results as a bundle.")
    .argument("<suite>", "a .ts, .js, .yaml or .json file")
    .option(
      "--out <dir>",
      "where the bundle goes; without --resume no run may be there (default: .assay/runs/<run id>)",
    )
    .option("--trials <n>", "trials per task, instead of the suite's", positiveInteger)
    .option("--concurrency <n>", "trials at once, instead of the suite's", positiveInteger)
    .option("--set <path=value>", "set an option of the target; repeatable", collectSetting)
    .option("-P, --parameter <key=value>", "give the suite a parameter; repeatable", collectPair)
    .option("--label <key=value>", "tag the run; repeatable", collectPair)
    .option("--task <id>", "run only this task; repeatable", collectText)
    .option("--limit <n>", "run only the first n tasks", positiveInteger)
    .option("--fail-fast", "stop at the first metric that fails")
    .option("--resume", "go on with the run in --out that ended before its plan")
    .option("--retry-failed", "with --resume: do failed trials and failed metrics again")
    .option("--allow-drift", "with --resume: accept that code, tools or files have changed")
    .option("--take-over", "with --resume: take the run from a process on another machine")
    .option(
      "--max-cost <usd>",
      "begin no further trial when so much is spent",
      positiveAmount("US dollars"),
    )
    .option("--max-tokens <n>", "begin no further trial when so many are used", positiveInteger)
    .option(
      "--max-duration <s>",
      "begin no further trial after so many seconds",
      positiveAmount("seconds"),
    )
    .option("--max-failed <n>", "begin no further trial when so many failed", positiveInteger)
    .option("--sign-key <file>", "sign the bundle with a private Ed25519 key in PEM")
    .option("--digest <sha256>", "with --resume: the digest that the bundle has to have")
    .option("--dry-run", "check everything and show the plan, but run nothing")
    .option("--json", "print the result as JSON")
    .option("--quiet", "print no progress and no summary, only how it ended")
    .addHelpText("after", notes)
    .action((suite: string, flags: RunFlags) => run(context, suite, flags));
}

async function run(context: CommandContext, file: string, flags: RunFlags): Promise<void> {
  context.io.keepHeapSmall();
  const stop = stopControl(context.io);
  try {
    const { suite, options } = await prepare(context, { file, flags, stop });
    if (flags.dryRun === true) return await dryRun(context, { suite, options, flags });
    const result = await execute(context, { file, suite, options, flags }, stop);
    endRun(context, result, stop);
    await showResult(context, result, flags);
    tellHowToResume(context, result, file);
  } finally {
    stop.release();
  }
}

interface Prepared {
  readonly suite: Suite;
  readonly options: RunOptions;
  readonly flags: RunFlags;
}

async function prepare(
  context: CommandContext,
  {
    file,
    flags,
    stop,
  }: { readonly file: string; readonly flags: RunFlags; readonly stop: StopControl },
): Promise<Omit<Prepared, "flags">> {
  const { io, argv } = context;
  const { newRunId } = await import("../../entries/index.ts");
  const overrides = [...(await settingsOf(io.env)), ...(flags.set ?? [])];
  const parameters = await parametersOf(context, flags);
  const suite = await load(context, file, { parameters, signal: stop.signal });
  const runId = newRunId(new Date());
  const options: RunOptions = {
    runId,
    ...runOptionsOf(flags, `.assay/runs/${runId}`),
    overrides,
    signal: stop.signal,
    invocation: recordedArguments(argv),
  };
  return { suite, options };
}

/** Those of the run that goes on need not be given again. */
async function parametersOf(
  { io }: CommandContext,
  { resume, out, parameter }: RunFlags,
): Promise<RunFlags["parameter"]> {
  if (resume !== true || out === undefined) return parameter;
  const { AgentEvaluator } = await import("../../entries/index.ts");
  const evaluator = new AgentEvaluator({ cwd: io.cwd, env: io.env });
  return { ...(await evaluator.storedParameters(out)), ...parameter };
}

async function dryRun(context: CommandContext, { suite, options, flags }: Prepared): Promise<void> {
  const { AgentEvaluator } = await import("../../entries/index.ts");
  const { planDocument, planLines } = await import("../print/plan-text.ts");
  const plan = await new AgentEvaluator({ cwd: context.io.cwd, env: context.io.env }).planSuite(
    suite,
    options,
  );
  if (flags.json === true) await printJson(context, planDocument(plan));
  else await printLines(context, planLines(plan));
}

async function execute(
  context: CommandContext,
  { file, suite, options, flags }: Prepared & { readonly file: string },
  stop: StopControl,
): Promise<EvalResult> {
  const { AgentEvaluator } = await import("../../entries/index.ts");
  const { createProgress, noProgress } = await import("../progress/progress.ts");
  const progress = flags.quiet === true ? noProgress : await createProgress(context.io);
  const { stderr, cwd } = context.io;
  const workDir = options.workDir ?? "";
  stop.runStarts({
    workDir,
    resume: resumeCommand(file, { workDir, cwd }),
    secrets: context.secrets,
    warn: (message) => {
      if (flags.quiet === true) stderr.write(`warning: ${message}\n`);
      else progress.onEvent({ type: "warning", message });
    },
  });
  try {
    const evaluator = new AgentEvaluator({ cwd: context.io.cwd, env: context.io.env });
    return await evaluator.runSuite(suite, {
      ...options,
      onEvent: (event) => progress.onEvent(event),
    });
  } finally {
    progress.close();
  }
}
