import { defineBatchRunner } from "../define/define-batch-runner.ts";
import { gymRow } from "./dataset.ts";
import { gymFacts } from "./facts.ts";
import { checkGymOptions, gymOptions } from "./options.ts";
import { findGymVersion, probeGym } from "./prerequisites.ts";
import { runGym } from "./run-all.ts";

export const gymRunner = defineBatchRunner({
  name: "gym",
  description: "Collects rollouts with NeMo Gym's servers, one job for all trials.",
  needs: ["NeMo Gym 0.4.0 or later (`gym` of the PyPI package nemo-gym) and uv"],
  options: gymOptions,
  check: checkGymOptions,
  probe: probeGym,
  findNeeds: findGymVersion,
  facts: gymFacts,
  checkTask: (task) => {
    gymRow(task);
  },
  runAll: runGym,
});
