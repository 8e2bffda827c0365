import type { MetricLike } from "../contracts/metric.ts";
import type { HarborFolder } from "../runners/datasets.ts";
import type { EvalResult } from "./api.ts";
import type { EvaluationConfig } from "./evaluation-request.ts";
import type { EvaluatorOptions } from "./node-engine.ts";

export interface HarborEvaluation extends EvaluationConfig {
  /** Folder names of the tasks that are wanted. Default: all. */
  readonly taskNames?: readonly string[];
  /** Default: the reward that the task's test gave. */
  readonly metrics?: readonly MetricLike[];
  readonly evaluator?: EvaluatorOptions;
}

/**
 * Finds the tasks of a Harbor dataset, runs an agent on them and scores its trials, in one call. Throws what
 * `AgentEvaluator.run` throws, and `ASSAY_TASK_INVALID` for a dataset that is none.
 */
export async function runHarborEval(
  dataset: string,
  options: Parameters<HarborFolder["target"]>[0] = {},
  { taskNames, metrics, evaluator = {}, ...config }: HarborEvaluation = {},
): Promise<EvalResult> {
  const [{ AgentEvaluator }, { datasetFolders }] = await Promise.all([
    import("./evaluator.ts"),
    import("../runners/datasets.ts"),
  ]);
  const { loadTasks, target, metric } = await datasetFolders.harbor();
  const baseDir = config.baseDir ?? evaluator.cwd;
  const tasks = await loadTasks(dataset, {
    ...(taskNames === undefined ? {} : { taskNames }),
    ...(baseDir === undefined ? {} : { baseDir }),
  });
  return await new AgentEvaluator(evaluator).run({
    tasks,
    target: target(options),
    metrics: metrics ?? [metric()],
    config: { name: "harbor", ...config },
  });
}
