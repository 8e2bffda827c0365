import path from "node:path";

import type { SandboxImage } from "../../contracts/sandbox.ts";
import type { AgentTask } from "../../contracts/task.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { newToken } from "../../support/ids.ts";
import type { JsonObject } from "../../support/json.ts";
import { instructionOf } from "../define/check-task.ts";
import { dockerOf, engineNeed, findEngine } from "../define/container/engine.ts";
import { containerFacts } from "../define/container/facts.ts";
import { defineRunner } from "../define/define-runner.ts";
import { draftOf } from "../fabric/collect.ts";
import { agentFacts, fabricModel } from "../fabric/facts.ts";
import type { RunOrder } from "../fabric/invocation.ts";
import { addTask, placesBelow, skillFacts, type TrialPlaces } from "../fabric/prepare.ts";
import { stageSkills } from "../fabric/skills.ts";
import { describeImage, findImage, probedImage } from "./image.ts";
import { inside, toHost, uploadInputs } from "./invocation.ts";
import { checkFabricContainerOptions, fabricContainerOptions } from "./options.ts";
import { collectFiles } from "./outcome.ts";
import { containerConfig, probeFabricContainer, sandboxSpec } from "./prerequisites.ts";
import { type FabricContainerContext, runInContainer } from "./run-in-container.ts";

export const fabricContainerRunner = defineRunner({
  name: "fabric_container",
  description: "Runs an agent harness through NeMo Fabric in a container, one per trial.",
  needs: [engineNeed],
  options: fabricContainerOptions,
  check: checkFabricContainerOptions,
  probe: probeFabricContainer,
  async findNeeds(context) {
    await findEngine(context);
    return null;
  },
  facts: (options) => ({
    ...agentFacts(options),
    sandbox: containerFacts({ ...options, image: describeImage(options) }),
  }),
  timeLimitS: ({ timeoutS }) => timeoutS,
  concurrency: ({ parallelism }) => parallelism,
  trialIdSuffix: () => "fabric_container",
  checkTask: (task) => void instructionOf(task),
  async run({ id, inputs }, context) {
    context.phase("prepare");
    const { options, signal, log } = context;
    const trial = await prepareTrial({ id, inputs }, context);
    const { places, image } = trial;
    const docker = await dockerOf(options, context);
    const trialId = `${id}:${context.trialIndex}`;
    const sandbox = await docker.create(sandboxSpec({ options, image, trialId }), { signal });
    try {
      const stage = path.join(places.directory, "in");
      await uploadInputs(sandbox, context, { stage, skills: trial.skillFolder });
      await sandbox.upload(trial.outStage, inside.out, { signal });
      context.phase("run");
      const ended = await runInContainer(sandbox, trial.order, places.logs, context);
      context.phase("collect");
      const { metadata, problem } = await collectFiles(sandbox, context, places.directory);
      if (problem !== null && ended.reader.answer?.type === "result") {
        throw new AssayError(
          "ASSAY_SANDBOX_FAILED",
          `what Fabric left could not be copied out of its container: ${problem}`,
        );
      }
      const draft = await draftOf(
        {
          ...trial,
          ended,
          python: options.python,
          identity: { runtime: "fabric_container", isolation: "container" },
          model: fabricModel(options)?.name ?? null,
          toHost: toHost(places.directory),
          collected: {
            image: image.reference,
            sandbox_provider: docker.name,
            sandbox: sandbox.record,
            ...metadata,
            ...(problem === null ? {} : { permission_cleanup_error: problem }),
          },
        },
        context,
      );
      const memory = ended.hasRunOutOfMemory ? memoryProblem(options.memoryMib) : {};
      return { ...draft, ...memory, imageDigest: image.digest };
    } finally {
      // It is tried once more at the end of the run: what the agent did counts all the same.
      await sandbox.stop().catch((thrown: unknown) => log.warn(messageOf(thrown)));
    }
  },
});

function memoryProblem(memoryMib: number | null) {
  const limit = memoryMib === null ? "what the engine has" : `${memoryMib} MiB`;
  const message = `NeMo Fabric ran out of memory: it had ${limit}`;
  return { error: { type: "AgentExitError", message } } as const;
}

interface PreparedTrial {
  readonly places: TrialPlaces;
  readonly image: SandboxImage;
  readonly order: RunOrder;
  /** A folder with what Fabric and its harness write to: the seeded workspace, and empty folders. */
  readonly outStage: string;
  readonly skillFolder: string | null;
  readonly skills: readonly JsonObject[];
}

/** Directories, task file, seeds, instruction, in this order: a bad seed wins over a missing instruction. */
async function prepareTrial(
  task: AgentTask,
  context: FabricContainerContext,
): Promise<PreparedTrial> {
  const { options, files, baseDir } = context;
  const directory = await context.directory();
  await addTask(task, context);
  const places = placesBelow(directory, (await context.workspace()).path);
  const instruction = instructionOf(task);
  const outStage = path.join(directory, "out-stage");
  for (const folder of [places.logs, outStage]) await files.makePrivateDirectory(folder);
  for (const name of ["relay", "artifacts"])
    await files.makePrivateDirectory(path.join(outStage, name));
  await files.copyTree(places.workspace, path.join(outStage, "workspace"));
  const folder = path.join(directory, "skill");
  await files.makePrivateDirectory(folder);
  const staging = { files, baseDir, folder, ...skillFacts(context) };
  const skills = await stageSkills(options.skills, staging);
  const docker = await dockerOf(options, context);
  const image =
    probedImage(context) ?? (await findImage(options, docker, { ...context, scratch: directory }));
  return {
    places,
    image,
    outStage,
    skillFolder: skills.length === 0 ? null : folder,
    skills: skills.map(({ record }) => record),
    order: {
      token: newToken(),
      operation: "run",
      config: containerConfig(options, task.id),
      baseDir: inside.in,
      instruction,
      taskId: task.id,
      resultFile: inside.result,
      spansFile: options.captureSpans ? inside.spans : null,
    },
  };
}
