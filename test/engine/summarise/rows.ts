import type { SummaryTrial } from "../../../packages/assay/src/engine/summarise/accumulator.ts";
import type { SummaryScore } from "../../../packages/assay/src/engine/summarise/score-table.ts";
import type { SummaryTask } from "../../../packages/assay/src/engine/summarise/task-layout.ts";
import type { Diagnostic } from "../../../packages/assay/src/schema/score.ts";
import type { JsonObject, JsonValue } from "../../../packages/assay/src/support/json.ts";

type Views = SummaryTask["views"];

/** `{ metric: { output: valueSchema } }` on a task. */
export function task(
  id: string,
  metrics: Record<string, Record<string, string>>,
  views: Views = {},
): SummaryTask {
  const descriptors = Object.entries(metrics).map(([type, outputs]) => ({
    type,
    outputs: Object.entries(outputs).map(([name, valueSchema]) => ({
      name,
      valueSchema,
      description: null,
    })),
  }));
  return { id, metrics: descriptors, views };
}

export function trial(taskId: string, id: string, errorType: string | null = null): SummaryTrial {
  return { id, taskId, error: errorType === null ? null : { type: errorType } };
}

/** `"t:0 metric"` with its outputs. */
export function scored(where: string, outputs: Record<string, JsonValue>): SummaryScore {
  const values = Object.entries(outputs).map(([name, value]) => ({ name, value }));
  return { ...placed(where), status: "completed", outputs: values, diagnostics: [] };
}

export const trialFailed = (where: string) => failed(where, { trial_status: "failed" });
export const metricFailed = (where: string) => failed(where, { exception_type: "TypeError" });
export const unscored = (where: string) =>
  failed(where, { unscored_reason: "NON_FINITE" }, "warning");

export function failed(
  where: string,
  details: JsonObject,
  severity: Diagnostic["severity"] = "error",
): SummaryScore {
  const diagnostic: Diagnostic = { severity, message: "what happened", source: null, details };
  return { ...placed(where), status: "failed", outputs: [], diagnostics: [diagnostic] };
}

function placed(where: string) {
  const [trialId = "", metricType = ""] = where.split(" ");
  return { taskId: trialId.split(":")[0] ?? "", trialId, metricType };
}
