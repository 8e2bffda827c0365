import path from "node:path";

import type { ProbeContext, ToolFacts } from "../../contracts/runner.ts";
import type { Sandbox, SandboxImage, SandboxSpec } from "../../contracts/sandbox.ts";
import { commandMarkVariable } from "../../sandbox/docker/end-command.ts";
import { sandboxLimits } from "../../schema/sandbox-limits.ts";
import { newToken } from "../../support/ids.ts";
import { dockerOf, imageFacts } from "../define/container/engine.ts";
import { factsOf } from "../fabric/ask-driver.ts";
import { composeConfig } from "../fabric/config.ts";
import { formatOrder } from "../fabric/invocation.ts";
import { type DriverFacts, DriverReader, maxMessageBytes } from "../fabric/messages.ts";
import { checkPlan, resolvedFacts } from "../fabric/prerequisites.ts";
import { digestSkills } from "../fabric/skills.ts";
import { findImage } from "./image.ts";
import { containerEnvironment, inside, runningUser, uploadInputs } from "./invocation.ts";
import type { FabricContainerOptions } from "./options.ts";

const probeTimeoutMs = 120_000;
/** Variables by which the processes of a command are found. */
const marks = [commandMarkVariable];

/** Finds engine and image, and lets Fabric plan in a container like those of the trials. */
export async function probeFabricContainer(
  options: FabricContainerOptions,
  context: ProbeContext,
): Promise<ToolFacts> {
  const skills = await digestSkills(options.skills, context);
  const docker = await dockerOf(options, context);
  const engine = await docker.facts();
  const image = await findImage(options, docker, context);
  const { resolved, observed } = imageFacts(image, engine);
  const spec = sandboxSpec({ options, image, trialId: "probe" });
  const sandbox = await docker.create(spec, { signal: context.signal });
  try {
    const facts = await askDriver(sandbox, options, context);
    checkPlan(facts, options);
    return {
      version: facts.nemo_fabric,
      resolved: { ...(await resolvedFacts(facts, skills, context)), ...resolved },
      observed: {
        ...observed,
        image: image.reference,
        adapter_id: facts.plan?.adapter_id ?? null,
      },
    };
  } finally {
    await sandbox.stop();
  }
}

async function askDriver(
  sandbox: Sandbox,
  options: FabricContainerOptions,
  context: ProbeContext,
): Promise<DriverFacts> {
  const stage = path.join(context.scratch, "fabric-container-probe");
  await uploadInputs(sandbox, context, { stage, skills: null });
  const token = newToken();
  const reader = new DriverReader(token);
  const config = containerConfig(options, "probe");
  const answer = await sandbox.exec({
    argv: [options.python, inside.driver],
    cwd: inside.in,
    env: containerEnvironment(options, context),
    stdin: formatOrder({ token, operation: "probe", config, baseDir: inside.in }),
    stdout: {
      keepBytes: 0,
      maxLineBytes: maxMessageBytes,
      onLine: (line) => reader.readLine(line),
    },
    timeoutMs: probeTimeoutMs,
    signal: context.signal,
  });
  const python = `${options.python}" of the image "${sandbox.spec.image.reference}`;
  return factsOf(reader, { ...answer, spawnError: null }, python);
}

export interface SandboxInputs {
  readonly options: FabricContainerOptions;
  readonly image: SandboxImage;
  readonly trialId: string;
}

/** Pure: the container of one trial. Nothing in it runs as root. */
export function sandboxSpec({ options, image, trialId }: SandboxInputs): SandboxSpec {
  return {
    image,
    trialId,
    workdir: inside.out,
    user: runningUser,
    network: options.network,
    limits: sandboxLimits(options),
    // Should Assay be killed, a paid agent does not go on for ever.
    lifetimeMs: (options.timeoutS + 600) * 1000,
  };
}

/** What Fabric is given for one trial, by the places in its container. */
export function containerConfig(options: FabricContainerOptions, taskId: string) {
  const { workspace, artifacts, relay } = inside;
  const skills = options.skills.map(({ name }) => `${inside.skills}/${name}`);
  return composeConfig(options, { workspace, artifacts, relay, skills, marks }, taskId);
}
