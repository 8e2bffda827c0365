import path from "node:path";

import type { Sandbox, SandboxImage } from "../../contracts/sandbox.ts";
import type { RunnerTask } from "../../contracts/task.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { cutText } from "../../support/cut-text.ts";
import { instructionOf } from "../define/check-task.ts";
import { dockerOf, engineNeed, findEngine, probedImage } from "../define/container/engine.ts";
import { takeWorkspace, workspaceMetadata } from "../define/container/workspace.ts";
import { defineRunner } from "../define/define-runner.ts";
import { directoryDigest } from "../define/directory-digest.ts";
import type { TrialDraft } from "../define/draft.ts";
import { type AgentEnding, type DockerSandboxContext, runAgent } from "./agent-run.ts";
import { findAgents, loadAgents } from "./agents-package.ts";
import { type RunFacts, RunReader } from "./event-reader.ts";
import { keepArchive, keepRun } from "./evidence-files.ts";
import { dockerSandboxFacts } from "./facts.ts";
import { sandboxSpec, workdir } from "./invocation.ts";
import { checkDockerSandboxOptions, dockerSandboxOptions } from "./options.ts";
import { agentProblem } from "./outcome.ts";
import { probeDockerSandbox } from "./prerequisites.ts";
import { checkSeedPlaces, workspaceDirOf } from "./workspace-dir.ts";

/** Of what the agent says last. */
const maxOutputCharacters = 1024 * 1024;

export const dockerSandboxRunner = defineRunner({
  name: "docker_sandbox",
  description: "Runs an agent's loop here and its shell and file tools in a container.",
  needs: [engineNeed, "The npm package @openai/agents 0.20.x in the project of the suite"],
  options: dockerSandboxOptions,
  check: checkDockerSandboxOptions,
  probe: probeDockerSandbox,
  async findNeeds(context) {
    await findEngine(context);
    return findAgents(context.baseDir).version;
  },
  facts: dockerSandboxFacts,
  timeLimitS: ({ timeoutS }) => timeoutS,
  concurrency: ({ parallelism }) => parallelism,
  trialIdSuffix: () => "docker-sandbox",
  async checkTask(task, _options, host) {
    instructionOf(task);
    checkSeedPlaces(task);
    await workspaceDirOf(task, host);
  },
  async contentDigest(task, host) {
    const directory = await workspaceDirOf(task, host);
    return directory === null ? null : await directoryDigest(directory, host.files);
  },
  async run(task, context) {
    context.phase("prepare");
    const agents = loadAgents(context.baseDir);
    const prompt = instructionOf(task);
    const workspace = await prepareWorkspace(prompt, context);
    const image = await probedImage(context);
    const docker = await dockerOf(context.options, context);
    const spec = sandboxSpec(context.options, image, `${task.id}:${context.trialIndex}`);
    const sandbox = await docker.create(spec, { signal: context.signal });
    try {
      await fill(sandbox, { task, workspace }, context);
      context.phase("run");
      const { step, usage, redact } = context;
      const reader = new RunReader({ step, addUsage: usage.add, redact });
      const ending = await runAgent(agents, { sandbox, prompt, reader }, context);
      context.phase("collect");
      const facts = reader.end();
      await keepRun(reader.items, ending.rawResponses, context);
      const taken = await takeWorkspace(sandbox, context, { inside: workdir, workspace });
      const draft = draftOf(ending, facts, { sandbox, image, model: context.options.model });
      if (taken.problem !== null && draft.error === undefined)
        throw new AssayError(
          "ASSAY_SANDBOX_FAILED",
          `what the agent left is lost: ${taken.problem}`,
        );
      await keepArchive(workspace, draft, context);
      return { ...draft, metadata: { ...draft.metadata, ...workspaceMetadata(taken) } };
    } finally {
      // It is tried once more at the end of the run: what the agent did counts all the same.
      await sandbox.stop().catch((thrown: unknown) => context.log.warn(messageOf(thrown)));
    }
  },
});

/** The seeds, the instruction and an empty directory for results. */
async function prepareWorkspace(
  instruction: string,
  context: DockerSandboxContext,
): Promise<string> {
  const { path: workspace } = await context.workspace();
  await context.files.writeAtomic(path.join(workspace, "instruction.md"), instruction);
  await context.files.makeDirectory(path.join(workspace, "output"));
  return workspace;
}

async function fill(
  sandbox: Sandbox,
  { task, workspace }: { readonly task: RunnerTask; readonly workspace: string },
  { files, signal }: DockerSandboxContext,
): Promise<void> {
  await sandbox.upload(workspace, workdir, { signal });
  const directory = await workspaceDirOf(task, { files });
  if (directory !== null) await sandbox.upload(directory, `${workdir}/workspace`, { signal });
}

interface TrialFacts {
  readonly sandbox: Sandbox;
  readonly image: SandboxImage;
  readonly model: string | null;
}

function draftOf(
  ending: AgentEnding,
  facts: RunFacts,
  { sandbox, image, model }: TrialFacts,
): TrialDraft {
  if (ending.kind === "lost") throw ending.error;
  const error = ending.kind === "threw" ? agentProblem(ending.thrown, facts) : null;
  const whole = ending.kind === "completed" ? textOf(ending.finalOutput) : facts.lastMessage;
  const text = whole === null ? null : cutText(whole, maxOutputCharacters);
  const identity = { runtime: "docker_sandbox", agent_model: model ?? facts.servedModel };
  const response = text === null || text.trim() === "" ? null : { final_output: text };
  return {
    output: text === null ? null : { outputText: text, response, metadata: identity },
    ...(error === null ? {} : { error }),
    metadata: {
      ...identity,
      generated: true,
      isolation: "container",
      sandbox: sandbox.record,
      turns: facts.turnCount,
      tool_calls: facts.toolCallCount,
      ...(text === whole ? {} : { output_truncated: true }),
    },
    models: { requested: model, served: facts.servedModel },
    imageDigest: image.digest,
  };
}

function textOf(finalOutput: unknown): string {
  if (typeof finalOutput === "string") return finalOutput;
  return finalOutput === undefined || finalOutput === null ? "" : JSON.stringify(finalOutput);
}
