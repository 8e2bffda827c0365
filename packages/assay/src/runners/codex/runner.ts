import { instructionOf } from "../define/check-task.ts";
import { defineRunner } from "../define/define-runner.ts";
import type { TrialDraft } from "../define/draft.ts";
import { EventReader, type StreamFacts } from "./event-reader.ts";
import { codexFacts, codexModel } from "./facts.ts";
import { takeFinalOutput } from "./final-output.ts";
import { type CodexOptions, checkCodexOptions, codexOptions } from "./options.ts";
import { codexProblem } from "./outcome.ts";
import { addFinalOutput, prepareTrial } from "./prepare.ts";
import { probeCodex } from "./prerequisites.ts";
import { type CodexProcess, runProcess } from "./process.ts";
import { streamMetadata } from "./stream-metadata.ts";

export const codexRunner = defineRunner({
  name: "codex_cli",
  description: "Runs the locally installed Codex CLI, one process per trial.",
  needs: ["Codex CLI (npm package @openai/codex) on PATH or by codex_bin"],
  options: codexOptions,
  check: checkCodexOptions,
  probe: probeCodex,
  facts: codexFacts,
  timeLimitS: ({ timeoutS }) => timeoutS,
  concurrency: ({ parallelism }) => parallelism,
  trialIdSuffix: () => "codex",
  checkTask(task, { promptBuilder }) {
    if (promptBuilder.module === "assay") instructionOf(task);
  },
  async run({ id, inputs }, context) {
    context.phase("prepare");
    const trial = await prepareTrial({ id, inputs }, context);
    const model = codexModel(context.options, trial.env)?.name ?? null;
    context.phase("run");
    const { step, usage, redact } = context;
    const reader = new EventReader({ step, addUsage: usage.add, redact });
    const process = await runProcess(trial, context, (line) => reader.readLine(line));
    context.phase("collect");
    const stream = reader.end();
    const final = await takeFinalOutput(trial.finalOutput, stream.lastMessage, context.files);
    await addFinalOutput(trial, context);
    const error = codexProblem(process, stream) ?? final.error;
    return {
      output: outputOf(final.text, model),
      ...(error === null ? {} : { error }),
      metadata: { ...identityOf(model), ...metadataOf(stream, process, context.options) },
      models: { requested: model, served: null },
    };
  },
});

function metadataOf(stream: StreamFacts, process: CodexProcess, options: CodexOptions) {
  return {
    generated: true,
    isolation: options.sandbox === "danger-full-access" ? "none" : "os_sandbox",
    exit_code: process.exitCode,
    ...streamMetadata(stream),
    ...(process.isTruncated ? { output_truncated: true } : {}),
    ...(process.survivorsKilled > 0 ? { processes_killed: process.survivorsKilled } : {}),
  };
}

function outputOf(text: string | null, model: string | null): TrialDraft["output"] {
  return text === null ? null : { outputText: text, metadata: identityOf(model) };
}

function identityOf(model: string | null) {
  return { runtime: "codex_cli", agent: "codex", agent_model: model };
}
