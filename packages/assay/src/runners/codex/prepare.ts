import path from "node:path";

import type { AgentTask } from "../../contracts/task.ts";
import { formatDocument } from "../../support/json.ts";
import type { AttemptContext } from "../define/attempt-context.ts";
import { addEvidence } from "./evidence-files.ts";
import { hostHome } from "./home.ts";
import { type CodexInvocation, codexInvocation } from "./invocation.ts";
import type { CodexOptions } from "./options.ts";
import { findCodex } from "./prerequisites.ts";

export type CodexContext = AttemptContext<CodexOptions>;

export interface PreparedTrial extends CodexInvocation {
  /** The private directory that everything of the attempt lies in. */
  readonly directory: string;
  readonly prompt: string;
}

/** Directories, task file, seeds, prompt, in this order: a bad seed wins over a missing instruction. */
export async function prepareTrial(task: AgentTask, context: CodexContext): Promise<PreparedTrial> {
  const { options, files } = context;
  const directory = await context.directory();
  await files.writeAtomic(path.join(directory, "task.json"), formatDocument(task));
  addEvidence(context, directory, ["task"]);
  const workspace = await context.workspace();
  const prompt = options.promptBuilder.build(task);
  await files.writeAtomic(path.join(directory, "prompt.txt"), prompt);
  addEvidence(context, directory, ["prompt"]);
  const home = hostHome(options, context) ?? path.join(directory, "codex-home");
  for (const folder of ["home", "tmp", "codex-home"])
    await files.makePrivateDirectory(path.join(directory, folder));
  const invocation = codexInvocation({
    program: await programOf(context),
    options,
    places: { directory, workspace: workspace.path, home },
    baseEnv: context.process.baseEnv(options.inheritEnv),
    secrets: context.secrets,
  });
  addEvidence(context, directory, ["stdout", "stderr"]);
  return { ...invocation, directory, prompt };
}

/** Codex makes the file when it ends, so a run that was stopped may be without it. */
export async function addFinalOutput(
  { directory, finalOutput }: PreparedTrial,
  context: CodexContext,
): Promise<void> {
  if ((await context.files.stat(finalOutput)) !== null)
    addEvidence(context, directory, ["final_output"]);
}

/** The program that was probed, so that the recorded version is the version that runs. */
async function programOf({ tool, options, process, baseDir }: CodexContext): Promise<string> {
  const probed = tool?.observed?.["program"];
  return typeof probed === "string" ? probed : await findCodex(options, { process, baseDir });
}
