import { metricFromConfig } from "../metrics/map.ts";
import { importerMap } from "../runners/importers.ts";
import type { EvalResult, PlanPreview, RunOptions } from "./api.ts";
import { previewEvaluation, runEvaluation } from "./evaluate.ts";
import type { EvaluationRequest } from "./evaluation-request.ts";
import { type ImportOutcome, importResults } from "./import/import-results.ts";
import { type EvaluatorOptions, nodeEngine } from "./node-engine.ts";
import { withoutSecrets } from "./plan/stored-plan.ts";
import type { Platform } from "./platform.ts";
import { withRedactedErrors } from "./redact-error.ts";
import { rescore } from "./rescore.ts";
import { type Bundle, readResult } from "./results/read-result.ts";
import { storedRun } from "./resume/stored-run.ts";
import { secretsOfValue } from "./suite/declared-secrets.ts";
import { resolveSuite } from "./suite/resolve-suite.ts";
import type { Suite } from "./suite/suite.ts";

/** Does what `AgentEvaluator` promises, on this machine. */
export class NodeEvaluator {
  readonly #platform: Platform;

  private constructor(platform: Platform) {
    this.#platform = platform;
  }

  static async open(options: EvaluatorOptions): Promise<NodeEvaluator> {
    return new NodeEvaluator(await nodeEngine(options));
  }

  get env(): Platform["env"] {
    return this.#platform.env;
  }

  async run<I>({
    tasks,
    target,
    trials,
    metrics,
    config = {},
  }: EvaluationRequest<I>): Promise<EvalResult> {
    const { files, cwd } = this.#platform;
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
      this.env,
      () => resolveSuite(definition, request),
    );
    return await this.runSuite(suite, options);
  }

  async runSuite(suite: Suite, options: RunOptions): Promise<EvalResult> {
    const platform = this.#platform;
    return await this.#guarded(suite, () => runEvaluation({ suite, options, platform }));
  }

  async planSuite(suite: Suite, options: RunOptions): Promise<PlanPreview> {
    const platform = this.#platform;
    return await this.#guarded(suite, () => previewEvaluation({ suite, options, platform }));
  }

  async storedParameters(dir: string): Promise<Readonly<Record<string, string>>> {
    const { plan } = await storedRun({ workDir: dir }, this.#platform);
    return withoutSecrets(plan.parameters);
  }

  async rescore(dir: string, suite: Suite, options: RunOptions): Promise<EvalResult> {
    const platform = this.#platform;
    return await this.#guarded(suite, () => rescore({ dir, suite, options, platform }));
  }

  async importResults(format: string, path: string, options: RunOptions): Promise<ImportOutcome> {
    const platform = this.#platform;
    const request = { format, path, options, importers: importerMap, platform };
    return await withRedactedErrors(
      () => [],
      this.env,
      () => importResults(request),
    );
  }

  async readBundle(dir: string): Promise<Bundle> {
    return await readResult(dir, this.#platform);
  }

  /** No error of the work shows a secret of the suite, however early it comes. */
  async #guarded<T>({ secrets }: Suite, work: () => Promise<T>): Promise<T> {
    return await withRedactedErrors(() => secrets, this.env, work);
  }
}
