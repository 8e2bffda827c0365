import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { messageOf } from "../../errors/assay-error.ts";
import { formatDocument } from "../../support/json.ts";
import type { AttemptContext } from "../define/attempt-context.ts";
import { instructionOf } from "../define/check-task.ts";
import { defineRunner } from "../define/define-runner.ts";
import type { AgentErrorDraft, TrialDraft } from "../define/draft.ts";
import { EventReader, type StreamFacts } from "./event-reader.ts";
import { hostHome } from "./home.ts";
import { codexInvocation } from "./invocation.ts";
import { type CodexOptions, codexOptions } from "./options.ts";
import { codexProblem } from "./outcome.ts";
import { findCodex, probeCodex } from "./prerequisites.ts";

type Context = AttemptContext<CodexOptions>;
interface CodexTask {
  readonly id: string;
  readonly inputs: Parameters<CodexOptions["promptBuilder"]["build"]>[0]["inputs"];
}

export const codexRunner = defineRunner({
  name: "codex_cli",
  description: "Runs the locally installed Codex CLI, one process per trial.",
  needs: ["Codex CLI (npm package @openai/codex) on PATH or by codex_bin"],
  options: codexOptions,
  probe: probeCodex,
  timeLimitS: ({ timeoutS }) => timeoutS,
  concurrency: ({ parallelism }) => parallelism,
  trialIdSuffix: () => "codex",
  checkTask(task, { promptBuilder }) {
    if (promptBuilder.module === "assay") instructionOf(task);
  },
  async run({ id, inputs }, context) {
    const task = { id, inputs };
    context.phase("prepare");
    const prepared = await prepare(task, context);
    context.phase("run");
    const reader = new EventReader({ step: context.step, addUsage: context.usage.add });
    const result = await context.process.run({
      argv: prepared.argv,
      cwd: prepared.directory,
      env: prepared.env,
      stdin: prepared.prompt,
      stdout: { file: path.join(prepared.directory, "stdout.jsonl"), keepBytes: 0, onLine: (line) => reader.readLine(line) },
      stderr: { file: path.join(prepared.directory, "stderr.txt"), keepBytes: 16 * 1024 },
      graceMs: context.graceMs,
      signal: context.signal,
    });
    context.phase("collect");
    const { facts } = reader;
    const base = draftBase(context.options, facts, result.exitCode);
    if (context.signal.aborted) return { ...base, output: outputOf(facts.lastMessage, context.options) };
    const problem = codexProblem(result, facts);
    const final = await readFinalOutput(prepared.finalOutput, facts.lastMessage, context.files);
    const error = problem ?? final.error;
    return { ...base, output: outputOf(final.text, context.options), ...(error === null ? {} : { error }) };
  },
});

/** Directories, task file, seeds, prompt, in this order: a bad seed wins over a missing instruction. */
async function prepare(task: CodexTask, context: Context) {
  const { options, files } = context;
  const directory = await context.directory();
  await files.writeAtomic(path.join(directory, "task.json"), formatDocument(task));
  addEvidence(context, directory, "task", { file: "task.json", kind: "json", format: "json" });
  const workspace = await context.workspace();
  const prompt = options.promptBuilder.build(task);
  await files.writeAtomic(path.join(directory, "prompt.txt"), prompt);
  const home = hostHome(options, context) ?? path.join(directory, "codex-home");
  for (const folder of ["home", "tmp", "codex-home"]) await files.makePrivateDirectory(path.join(directory, folder));
  const invocation = codexInvocation({
    program: await findCodex(options, context),
    options,
    places: { directory, workspace: workspace.path, home },
    baseEnv: context.process.baseEnv(options.inheritEnv),
    secrets: context.secrets,
  });
  addEvidence(context, directory, "prompt", { file: "prompt.txt", kind: "text", format: "txt" });
  context.evidence.add("workspace", { kind: "filesystem", format: "dir", ref: workspace.path, metadata: { role: "final_state" } });
  addEvidence(context, directory, "stdout", { file: "stdout.jsonl", kind: "codex_stdout", format: "jsonl" });
  addEvidence(context, directory, "stderr", { file: "stderr.txt", kind: "text", format: "txt" });
  addEvidence(context, directory, "final_output", { file: "final_output.txt", kind: "text", format: "txt" });
  return { ...invocation, directory, prompt };
}

function addEvidence(
  context: Context,
  directory: string,
  name: string,
  { file, kind, format }: { readonly file: string; readonly kind: string; readonly format: string },
): void {
  context.evidence.add(name, { kind, format, ref: path.join(directory, file) });
}

function draftBase(options: CodexOptions, facts: StreamFacts, exitCode: number | null): Omit<TrialDraft, "output"> {
  const { threadId, turnCount, commandCount, reasoningTokens, malformedLineCount, warnings } = facts;
  return {
    metadata: {
      runtime: "codex_cli",
      agent: "codex",
      agent_model: options.model,
      generated: true,
      thread_id: threadId,
      exit_code: exitCode,
      turns: turnCount,
      commands: commandCount,
      reasoning_tokens: reasoningTokens,
      ...(malformedLineCount > 0 ? { malformed_lines: malformedLineCount } : {}),
      ...(warnings.length > 0 ? { warnings: [...warnings] } : {}),
      isolation: options.sandbox === "danger-full-access" ? "none" : "os_sandbox",
    },
    models: { requested: options.model, served: null },
  };
}

function outputOf(text: string | null, { model }: CodexOptions): TrialDraft["output"] {
  if (text === null) return null;
  return { outputText: text, metadata: { runtime: "codex_cli", agent: "codex", agent_model: model } };
}

/** The last message, from Codex's file or else from its stream. The file is opened without following a link. */
async function readFinalOutput(
  file: string,
  lastMessage: string | null,
  files: FileStore,
): Promise<{ readonly text: string | null; readonly error: AgentErrorDraft | null }> {
  if ((await files.stat(file)) === null) return { text: lastMessage, error: null };
  try {
    const text = new TextDecoder().decode(await files.readRegular(file, { maxBytes: 8 * 1024 * 1024 }));
    return { text: text === "" ? lastMessage : text, error: null };
  } catch (thrown) {
    return { text: null, error: { type: "OutputUnreadable", message: `final_output.txt cannot be read: ${messageOf(thrown)}` } };
  }
}
