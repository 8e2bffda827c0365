import type { MetricLike } from "../contracts/metric.ts";
import type { Target } from "../contracts/target.ts";
import type { InstructionInputs } from "../contracts/task.ts";
import { metricFromConfig } from "../metrics/map.ts";
import type { TrialRecordInput } from "../schema/trial.ts";
import type { EvalResult, PlanPreview, RunOptions } from "./api.ts";
import { previewEvaluation, runEvaluation } from "./evaluate.ts";
import { type EvaluatorOptions, nodeEngine } from "./node-engine.ts";
import { withoutSecrets } from "./plan/stored-plan.ts";
import type { Platform } from "./platform.ts";
import { withRedactedErrors } from "./redact-error.ts";
import { rescore } from "./rescore.ts";
import { type Bundle, readResult } from "./results/read-result.ts";
import { storedRun } from "./resume/stored-run.ts";
import { secretsOfValue } from "./suite/declared-secrets.ts";
import { resolveSuite } from "./suite/resolve-suite.ts";
import type { SecretDefinition, Suite, TaskSource } from "./suite/suite.ts";

/** What to evaluate, given by a program. */
export interface EvaluationRequest<I> {
  readonly tasks: TaskSource<I>;
  /** What is evaluated. Exactly one of `target` and `trials`. */
  readonly target?: Target<NoInfer<I>>;
  /** Trials that exist already and are only scored. */
  readonly trials?: readonly TrialRecordInput[];
  /** Added to every task that declares none of that type. */
  readonly metrics?: readonly MetricLike[];
  readonly config?: EvaluationConfig;
}

export interface EvaluationConfig extends Omit<RunOptions, "taskIds" | "limit" | "invocation"> {
  /** Name of the suite; functions are recorded as `<name>#<function>`. Default `suite`. */
  readonly name?: string;
  readonly secrets?: readonly (string | SecretDefinition)[];
  /** Relative paths start here. Default: the working directory. */
  readonly baseDir?: string;
}

/**
 * Runs evaluations and reads their bundles.
 *
 * `run` resolves when the run has ended, whatever the scores are; it throws an `AssayError` when nothing was run
 * (`user`, `environment`) or the bundle cannot be written. It starts processes, and writes only below `workDir` and a
 * private scratch directory.
 */
export class AgentEvaluator {
  readonly #options: EvaluatorOptions;
  #machine: Promise<Platform> | null = null;

  constructor(options: EvaluatorOptions = {}) {
    this.#options = options;
  }

  #platform(): Promise<Platform> {
    this.#machine ??= nodeEngine(this.#options);
    return this.#machine;
  }

  async run<I = InstructionInputs>({
    tasks,
    target,
    trials,
    metrics,
    config = {},
  }: EvaluationRequest<I>): Promise<EvalResult> {
    const { files, cwd, env } = await this.#platform();
    const { name = "suite", secrets = [], baseDir = cwd, ...options } = config;
    const definition = {
      name,
      tasks,
      secrets,
      ...(target === undefined ? {} : { target }),
      ...(trials === undefined ? {} : { importedTrials: trials }),
      ...(metrics === undefined ? {} : { metrics }),
    };
    const request = { baseName: name, baseDir, files, metricFromConfig };
    const suite = await withRedactedErrors(
      () => secretsOfValue(definition),
      env,
      () => resolveSuite(definition, request),
    );
    return await this.runSuite(suite, options);
  }

  /** Runs a suite that was loaded. */
  async runSuite(suite: Suite, options: RunOptions = {}): Promise<EvalResult> {
    return await this.#guarded(suite, (platform) => runEvaluation({ suite, options, platform }));
  }

  /** Validates a suite, its tools included, and gives the plan; no trial is run and nothing is kept. */
  async planSuite(suite: Suite, options: RunOptions = {}): Promise<PlanPreview> {
    return await this.#guarded(suite, (platform) =>
      previewEvaluation({ suite, options, platform }),
    );
  }

  /**
   * Parameters of the suite that the run in a directory began with; those with a secret are stored nowhere, and left out.
   * Throws `ASSAY_BUNDLE_NOT_FOUND` or `ASSAY_BUNDLE_DAMAGED`.
   */
  async storedParameters(dir: string): Promise<Readonly<Record<string, string>>> {
    const { plan } = await storedRun({ workDir: dir }, await this.#platform());
    return withoutSecrets(plan.parameters);
  }

  /** Scores the trials of a bundle again with the suite's metrics; no agent is run. */
  async rescore(dir: string, suite: Suite, options: RunOptions = {}): Promise<EvalResult> {
    return await this.#guarded(suite, (platform) => rescore({ dir, suite, options, platform }));
  }

  /** Reads a bundle; see `readBundle`. */
  async readBundle(dir: string): Promise<Bundle> {
    return await readResult(dir, await this.#platform());
  }

  /** No error of the work shows a secret of the suite, however early it comes. */
  async #guarded<T>({ secrets }: Suite, work: (platform: Platform) => Promise<T>): Promise<T> {
    const platform = await this.#platform();
    return await withRedactedErrors(
      () => secrets,
      platform.env,
      () => work(platform),
    );
  }
}
