import { instructionOf } from "../define/check-task.ts";
import { defineRunner } from "../define/define-runner.ts";
import { draftOf } from "./collect.ts";
import { fabricFacts, fabricModel, harnessSandbox } from "./facts.ts";
import { checkFabricOptions, fabricOptions } from "./options.ts";
import { prepareTrial } from "./prepare.ts";
import { findFabric, probeFabric } from "./prerequisites.ts";
import { runDriver } from "./run-driver.ts";

export const fabricRunner = defineRunner({
  name: "fabric",
  description: "Runs an agent harness through NeMo Fabric on this machine, one run per trial.",
  needs: ["Python 3.11 or later with nemo-fabric 0.5.0 or later, by the option python"],
  options: fabricOptions,
  check: checkFabricOptions,
  probe: probeFabric,
  findNeeds: findFabric,
  facts: fabricFacts,
  timeLimitS: ({ timeoutS }) => timeoutS,
  concurrency: ({ parallelism }) => parallelism,
  trialIdSuffix: () => "fabric",
  checkTask: (task) => void instructionOf(task),
  async run({ id, inputs }, context) {
    context.phase("prepare");
    const trial = await prepareTrial({ id, inputs }, context);
    context.phase("run");
    const ended = await runDriver(trial, context);
    context.phase("collect");
    const isolation = harnessSandbox(context.options) === null ? "none" : "os_sandbox";
    return await draftOf(
      {
        ...trial,
        ended,
        python: trial.argv[0],
        identity: { runtime: "fabric", isolation },
        model: fabricModel(context.options)?.name ?? null,
        toHost: (place) => place,
      },
      context,
    );
  },
});
