import path from "node:path";

import type { Trial } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { type Batch, defineBatchRunner } from "../define/define-batch-runner.ts";
import { aggregatesOf } from "./aggregates.ts";
import { harborFacts } from "./facts.ts";
import {
  checkHarborOptions,
  effectiveAgent,
  type HarborOptions,
  harborOptions,
  modeOf,
} from "./options.ts";
import { checkHarborTask, harborTaskDigest } from "./planned-tasks.ts";
import { findNeeds, probeHarbor } from "./prerequisites.ts";
import { readJob, readJobDocument } from "./read-job.ts";
import { runPlan } from "./run-plan.ts";

export const harborRunner = defineBatchRunner({
  name: "harbor",
  description: "Runs agents on Harbor tasks, each in a container with a test of its own.",
  needs: ["Harbor 0.16.0 or later, on Python 3.12 or later", "Docker with Compose v2"],
  options: harborOptions,
  check: checkHarborOptions,
  derive: (options) => ({ effective_agent: effectiveAgent(options) }),
  probe: probeHarbor,
  findNeeds,
  facts: harborFacts,
  checkTask: checkHarborTask,
  contentDigest: harborTaskDigest,
  checkPlan({ trialsPerTask }, { nAttempts }) {
    if (nAttempts === null || nAttempts === trialsPerTask) return;
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      `harbor: n_attempts is ${nAttempts}, and the run has ${trialsPerTask} trials of each task`,
      { remedy: "Leave n_attempts out, and say `trials` in the suite or --trials." },
    );
  },
  async *runAll(batch) {
    const { options, context } = batch;
    if (context.signal.aborted || context.closing.aborted) return;
    yield* modeOf(options) === "native" ? runPlan(batch) : adaptJob(batch);
  },
});

/** Takes the trials of a job that is there, or that a function of the suite makes. */
async function* adaptJob(batch: Batch<HarborOptions>): AsyncIterable<Trial> {
  const { options, context, addAggregates } = batch;
  const directory = path.resolve(context.baseDir, options.jobDir ?? "");
  await options.runJob?.run(context.signal);
  yield* readJob(directory, batch);
  const job = await readJobDocument(directory, context);
  addAggregates(aggregatesOf(job === null ? [] : [job]));
}
