import type { EvalResult } from "./api.ts";
import type { RowsEvaluation } from "./rows-evaluator.ts";

/**
 * Scores rows in one call: with a target each row is a task that is run, without one each row's output is a trial.
 * Throws what `AgentEvaluator.run` throws, and `ASSAY_TASK_INVALID` for a row without an output or a string id.
 */
export async function evaluate(evaluation: RowsEvaluation): Promise<EvalResult> {
  const { evaluateRows } = await import("./rows-evaluator.ts");
  return await evaluateRows(evaluation);
}
