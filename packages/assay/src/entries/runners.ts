export type {
  DownloadFacts,
  ExecRequest,
  ExecResult,
  Sandbox,
  SandboxCapability,
  SandboxImage,
  SandboxProvider,
  SandboxSpec,
} from "../contracts/sandbox.ts";
export {
  type CallableAgent,
  type CallableContext,
  type CallableOptions,
  type CallableReply,
  callable,
} from "../runners/callable/index.ts";
export { type CodexCliOptions, codexCli } from "../runners/codex/index.ts";
export { type CodexDockerCliOptions, codexDockerCli } from "../runners/codex-docker/index.ts";
export type { AttemptContext, Workspace } from "../runners/define/attempt-context.ts";
export {
  type Batch,
  type BatchRunnerDefinition,
  type BatchRunnerFactory,
  defineBatchRunner,
} from "../runners/define/define-batch-runner.ts";
export {
  defineRunner,
  type RunnerDefinition,
  type RunnerFactory,
} from "../runners/define/define-runner.ts";
export type {
  DescribedRunnerFactory,
  RunnerDescription,
} from "../runners/define/described-runner.ts";
export { type AgentErrorDraft, type TrialDraft, TrialFailure } from "../runners/define/draft.ts";
export { type DockerSandboxOptions, dockerSandbox } from "../runners/docker-sandbox/index.ts";
export { type FabricOptions, fabric } from "../runners/fabric/index.ts";
export {
  type FabricContainerOptions,
  fabricContainer,
} from "../runners/fabric-container/index.ts";
export { type GymRunnerOptions, gym } from "../runners/gym/index.ts";
export { type HarborRunnerOptions, harbor, type RunHarborJob } from "../runners/harbor/index.ts";
export {
  type HarborTaskDefinition,
  type HarborTasksOptions,
  loadHarborTasks,
} from "../runners/harbor/load-tasks.ts";
export { type RunnerEntry, type RunnerMap, type RunnerName, runnerMap } from "../runners/map.ts";
export { namedFunction } from "../support/named-function.ts";
export { credential, operational, shapes } from "../support/options.ts";
