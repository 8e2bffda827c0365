import type { InstructionInputs } from "../contracts/task.ts";
import type { EvalResult, PlanPreview, RunOptions } from "./api.ts";
import type { EvaluationRequest } from "./evaluation-request.ts";
import type { ImportOutcome } from "./import/import-results.ts";
import type { EvaluatorOptions } from "./node-engine.ts";
import type { NodeEvaluator } from "./node-evaluator.ts";
import type { Bundle } from "./results/read-result.ts";
import type { Suite } from "./suite/suite.ts";

/**
 * Runs evaluations and reads their bundles.
 *
 * `run` resolves when the run has ended, whatever the scores are; it throws an `AssayError` when nothing was run
 * (`user`, `environment`) or the bundle cannot be written. It starts processes, and writes only below `workDir` and a
 * private scratch directory.
 */
export class AgentEvaluator {
  readonly #options: EvaluatorOptions;
  #opened: Promise<NodeEvaluator> | null = null;

  constructor(options: EvaluatorOptions = {}) {
    this.#options = options;
  }

  /** The engine is loaded when there is something to do. */
  #evaluator(): Promise<NodeEvaluator> {
    this.#opened ??= import("./node-evaluator.ts").then((loaded) =>
      loaded.NodeEvaluator.open(this.#options),
    );
    return this.#opened;
  }

  async run<I = InstructionInputs>(request: EvaluationRequest<I>): Promise<EvalResult> {
    return await (await this.#evaluator()).run(request);
  }

  /** Runs a suite that was loaded. */
  async runSuite(suite: Suite, options: RunOptions = {}): Promise<EvalResult> {
    return await (await this.#evaluator()).runSuite(suite, options);
  }

  /** Validates a suite, its tools included, and gives the plan; no trial is run and nothing is kept. */
  async planSuite(suite: Suite, options: RunOptions = {}): Promise<PlanPreview> {
    return await (await this.#evaluator()).planSuite(suite, options);
  }

  /**
   * Parameters of the suite that the run in a directory began with; those with a secret are stored nowhere, and left out.
   * Throws `ASSAY_BUNDLE_NOT_FOUND` or `ASSAY_BUNDLE_DAMAGED`.
   */
  async storedParameters(dir: string): Promise<Readonly<Record<string, string>>> {
    return await (await this.#evaluator()).storedParameters(dir);
  }

  /** Scores the trials of a bundle again with the suite's metrics; no agent is run. */
  async rescore(dir: string, suite: Suite, options: RunOptions = {}): Promise<EvalResult> {
    return await (await this.#evaluator()).rescore(dir, suite, options);
  }

  /**
   * Makes a bundle of results that another tool has left at a path: a job directory, a file of rollouts. Nothing is run.
   * Throws `ASSAY_NAME_UNKNOWN` for an unknown format and `ASSAY_RESULTS_INVALID` for what is not of the format.
   */
  async importResults(
    format: string,
    path: string,
    options: RunOptions = {},
  ): Promise<ImportOutcome> {
    return await (await this.#evaluator()).importResults(format, path, options);
  }

  /** Reads a bundle; see `readBundle`. */
  async readBundle(dir: string): Promise<Bundle> {
    return await (await this.#evaluator()).readBundle(dir);
  }
}
