export type { Evidence, FilesystemEvidence, LogEvidence } from "../contracts/evidence.ts";
export type { ImportLoss } from "../contracts/importer.ts";
export type {
  Metric,
  MetricContext,
  MetricInput,
  MetricLike,
  MetricResult,
  ScorerFunction,
} from "../contracts/metric.ts";
export type {
  AgentTaskRunner,
  AttemptChannel,
  OptionOverride,
  PlannedTask,
  RunContext,
  SandboxFacts,
  SuiteProcess,
  TargetFacts,
  ToolFacts,
  Trial,
  TrialPlan,
} from "../contracts/runner.ts";
export type { Target } from "../contracts/target.ts";
export type { InstructionInputs } from "../contracts/task.ts";
export type { Trajectory, TrajectoryFormat, TrajectoryStep } from "../contracts/trajectory.ts";
export type {
  EvalResult,
  PlanPreview,
  RunEvent,
  RunOptions,
} from "../engine/api.ts";
export { evaluate } from "../engine/evaluate-rows.ts";
export type { EvaluationConfig, EvaluationRequest } from "../engine/evaluation-request.ts";
export { AgentEvaluator } from "../engine/evaluator.ts";
export type { ImportOutcome } from "../engine/import/import-results.ts";
export type { CleanReport } from "../engine/inspect/clean.ts";
export type { MetricDescription } from "../engine/inspect/describe-metrics.ts";
export type { RunnerDescription } from "../engine/inspect/describe-runners.ts";
export type { DoctorReport } from "../engine/inspect/doctor.ts";
export { loadSuite } from "../engine/load.ts";
export {
  assayVersion,
  cleanScratch,
  describeMetrics,
  describeRunners,
  doctor,
} from "../engine/machine.ts";
export type { EvaluatorOptions } from "../engine/node-engine.ts";
export { redactDocument, redactFacts, redactText } from "../engine/redact-text.ts";
export { readBundle, readProvenance } from "../engine/results/open-bundle.ts";
export type { Bundle, BundleProvenance } from "../engine/results/read-result.ts";
export type { FieldMapping, RowsEvaluation } from "../engine/rows-evaluator.ts";
export { type HarborEvaluation, runHarborEval } from "../engine/run-harbor-eval.ts";
export { defineSuite } from "../engine/suite/define-suite.ts";
export type {
  Suite,
  SuiteDefinition,
  SuiteFactory,
  TaskDefinition,
  TaskFile,
  TaskFolder,
  TaskSource,
} from "../engine/suite/suite.ts";
export type { LoadSuiteOptions } from "../engine/suite-loader.ts";
export { AssayError } from "../errors/assay-error.ts";
export { type ErrorCode, errorCodes, type Fault } from "../errors/codes.ts";
export { exitCodeOf, exitCodes } from "../errors/exit-codes.ts";
export { defineMetric } from "../metrics/define/define-metric.ts";
export type { FormatSummaryOptions } from "../report/text/format-summary.ts";
export { type FlatRecord, formatNumber, formatTable } from "../report/text/table.ts";
export {
  defineRunner,
  type RunnerDefinition,
  type RunnerFactory,
} from "../runners/define/define-runner.ts";
export { newRunId } from "../support/ids.ts";
export { credential, operational, shapes } from "../support/options.ts";
export { cutToWidth, type WrapOptions, wrapText } from "../support/terminal-text.ts";
export { visibleJson, visibleLine, visibleText } from "../support/visible-text.ts";
