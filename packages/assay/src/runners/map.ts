import type { AgentTaskRunner } from "../contracts/runner.ts";
import type { OptionTable } from "../support/options.ts";
import type { RunnerDescription } from "./define/described-runner.ts";

/** What the map gives of a runner: enough to describe it and to build one from a declarative target. */
export interface RunnerEntry {
  readonly definition: Pick<
    RunnerDescription<OptionTable>,
    "name" | "description" | "needs" | "options" | "findNeeds"
  >;
  fromConfig(wire: unknown): AgentTaskRunner;
}

/** Every shipped runner by name, loaded when asked for. Users extend it by passing a map of their own. */
export const runnerMap = {
  callable: async (): Promise<RunnerEntry> =>
    (await import("./callable/runner.ts")).callableRunner as unknown as RunnerEntry,
  codex_cli: async (): Promise<RunnerEntry> =>
    (await import("./codex/runner.ts")).codexRunner as unknown as RunnerEntry,
  codex_docker_cli: async (): Promise<RunnerEntry> =>
    (await import("./codex-docker/runner.ts")).codexDockerRunner as unknown as RunnerEntry,
  docker_sandbox: async (): Promise<RunnerEntry> =>
    (await import("./docker-sandbox/runner.ts")).dockerSandboxRunner as unknown as RunnerEntry,
  fabric: async (): Promise<RunnerEntry> =>
    (await import("./fabric/runner.ts")).fabricRunner as unknown as RunnerEntry,
  fabric_container: async (): Promise<RunnerEntry> =>
    (await import("./fabric-container/runner.ts")).fabricContainerRunner as unknown as RunnerEntry,
  gym: async (): Promise<RunnerEntry> =>
    (await import("./gym/runner.ts")).gymRunner as unknown as RunnerEntry,
  harbor: async (): Promise<RunnerEntry> =>
    (await import("./harbor/runner.ts")).harborRunner as unknown as RunnerEntry,
} as const;

export type RunnerName = keyof typeof runnerMap;
export type RunnerMap = Readonly<Record<string, () => Promise<RunnerEntry>>>;
