import path from "node:path";

import type { SandboxImage } from "../../contracts/sandbox.ts";
import type { RunnerTask } from "../../contracts/task.ts";
import { messageOf } from "../../errors/assay-error.ts";
import { formatDocument } from "../../support/json.ts";
import { EventReader } from "../codex/event-reader.ts";
import { addEvidence } from "../codex/evidence-files.ts";
import { codexModel } from "../codex/facts.ts";
import { instructionOf } from "../define/check-task.ts";
import { dockerOf, engineNeed, findEngine, probedImage } from "../define/container/engine.ts";
import { defineRunner } from "../define/define-runner.ts";
import { codexDockerFacts } from "./facts.ts";
import { containerInvocation, places } from "./invocation.ts";
import { checkCodexDockerOptions, codexDockerOptions } from "./options.ts";
import { draftOf } from "./outcome.ts";
import { findAuth, inheritedOf, probeCodexDocker, sandboxSpec } from "./prerequisites.ts";
import { type CodexDockerContext, collectFiles, runInContainer } from "./run-in-container.ts";

export const codexDockerRunner = defineRunner({
  name: "codex_docker_cli",
  description: "Runs the Codex CLI in a container, one per trial.",
  needs: [engineNeed],
  options: codexDockerOptions,
  check: checkCodexDockerOptions,
  probe: probeCodexDocker,
  async findNeeds(context) {
    await findEngine(context);
    return null;
  },
  facts: codexDockerFacts,
  timeLimitS: ({ timeoutS }) => timeoutS,
  concurrency: ({ parallelism }) => parallelism,
  trialIdSuffix: () => "codex",
  checkTask(task, { promptBuilder }) {
    if (promptBuilder.module === "assay") instructionOf(task);
  },
  async run(task, context) {
    context.phase("prepare");
    const trial = await prepareTrial(task, context);
    const docker = await dockerOf(context.options, context);
    const spec = sandboxSpec({ ...trial, options: context.options });
    const sandbox = await docker.create(spec, { signal: context.signal });
    try {
      await sandbox.upload(trial.workspace, places.workspace, { signal: context.signal });
      context.phase("run");
      addEvidence(context, trial.directory, ["stdout", "stderr"]);
      const { step, usage, redact } = context;
      const reader = new EventReader({ step, addUsage: usage.add, redact });
      const onLine = (line: string) => reader.readLine(line);
      const run = await runInContainer(sandbox, trial.invocation, { ...trial, context, onLine });
      context.phase("collect");
      const collected = await collectFiles(sandbox, context, trial);
      const stream = reader.end();
      return await draftOf(
        { run, collected, stream, record: sandbox.record },
        { ...trial, context },
      );
    } finally {
      // It is tried once more at the end of the run: what the agent did counts all the same.
      await sandbox.stop().catch((thrown: unknown) => context.log.warn(messageOf(thrown)));
    }
  },
});

interface PreparedTrial {
  readonly directory: string;
  readonly workspace: string;
  readonly prompt: string;
  readonly image: SandboxImage;
  readonly auth: string | null;
  readonly trialId: string;
  readonly model: string | null;
  readonly invocation: ReturnType<typeof containerInvocation>;
}

/** Directories, task file, seeds, prompt, in this order: a bad seed wins over a missing instruction. */
async function prepareTrial(
  { id, inputs }: RunnerTask,
  context: CodexDockerContext,
): Promise<PreparedTrial> {
  const { options, files, secrets, trialIndex } = context;
  const directory = await context.directory();
  await files.writeAtomic(path.join(directory, "task.json"), formatDocument({ id, inputs }));
  addEvidence(context, directory, ["task"]);
  const workspace = await context.workspace();
  const prompt = options.promptBuilder.build({ id, inputs });
  await files.writeAtomic(path.join(directory, "prompt.txt"), prompt);
  addEvidence(context, directory, ["prompt"]);
  const auth = await findAuth(options, context);
  const inherited = inheritedOf(options, context);
  const invocation = containerInvocation({ options, inherited, secrets });
  return {
    directory,
    workspace: workspace.path,
    prompt,
    image: await probedImage(context),
    auth,
    trialId: `${id}:${trialIndex}`,
    model: codexModel(options, invocation.env)?.name ?? null,
    invocation,
  };
}
