export type { ConformanceCheck } from "../testing/conformance/check.ts";
export type {
  CancelScenario,
  HugeOutputScenario,
  RunnerScenario,
  RunnerScenarios,
  RunnerSubject,
  Scenario,
  SecretScenario,
} from "../testing/conformance/subject.ts";
export { FakeClock } from "../testing/fake-clock.ts";
export {
  type MetricCase,
  type MetricConformance,
  metricConformance,
} from "../testing/metric-conformance.ts";
export {
  type TestRunContext,
  type TestRunContextOptions,
  testRunContext,
} from "../testing/run-context.ts";
export { runnerConformance } from "../testing/runner-conformance.ts";
export type { SandboxSubject } from "../testing/sandbox/subject.ts";
export { sandboxConformance } from "../testing/sandbox-conformance.ts";
export { type TestTask, testPlan, testTask } from "../testing/trial-plan.ts";
