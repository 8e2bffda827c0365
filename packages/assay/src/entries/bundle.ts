export type { FileDamage } from "../bundle/integrity/file-damage.ts";
export { BundleReader } from "../bundle/read-bundle.ts";
export type { BundleProblem, ProblemKind } from "../bundle/verify/problems.ts";
export type { AggregateChange, BundleDiff, ComparedBundle } from "../engine/diff/bundle-diff.ts";
export type { Difference, SideValue } from "../engine/diff/differences.ts";
export { diffBundles } from "../engine/diff/open-diff.ts";
export type { OutputDiff, TaskChange, TaskScore } from "../engine/diff/score-diff.ts";
export type { MetricChange, ScoringDiff } from "../engine/diff/scoring-diff.ts";
export type { SettingsDiff } from "../engine/diff/settings-diff.ts";
export type { TaskField, TaskSetDiff } from "../engine/diff/task-set-diff.ts";
export { readBundle, readProvenance } from "../engine/results/open-bundle.ts";
export type { Bundle, BundleProvenance } from "../engine/results/read-result.ts";
export { verifyBundle } from "../engine/verify/open-verify.ts";
export type {
  BundleVerification,
  ProofLevel,
  RowCounts,
  VerifyOptions,
} from "../engine/verify/verification.ts";
export type { AttemptRecord } from "../schema/attempt.ts";
export type { EvidenceDescriptor, EvidenceSet } from "../schema/evidence.ts";
export type { EvidenceFile } from "../schema/evidence-file.ts";
export type { Manifest, RunStatus } from "../schema/manifest.ts";
export { schemaNames, wireSchemaOf } from "../schema/persisted.ts";
export type { PlanRecord } from "../schema/plan.ts";
export type { RunMetadata, RunnerInfo } from "../schema/run-metadata.ts";
export type { Diagnostic, ScoreOutput, ScoreRecord } from "../schema/score.ts";
export type { Aggregate, Coverage, Summary, TaskMetricValue } from "../schema/summary.ts";
export type { TaskRecord } from "../schema/task.ts";
export type {
  AgentOutput,
  Measurements,
  TrialError,
  TrialRecord,
  TrialStatus,
} from "../schema/trial.ts";
