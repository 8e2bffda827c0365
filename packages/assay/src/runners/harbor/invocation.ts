import path from "node:path";

import { dockerVariables } from "../../sandbox/docker/client.ts";
import type { JsonObject, JsonValue } from "../../support/json.ts";
import type { HarborOptions } from "./options.ts";

/** One job of Harbor: some tasks, each the same number of times. */
export interface HarborJob {
  /** Absolute folders of the tasks. */
  readonly taskFolders: readonly string[];
  readonly attempts: number;
  readonly concurrency: number;
  readonly jobsDir: string;
  readonly jobName: string;
}

/**
 * Pure: the job as Harbor's own configuration. Tasks are named by their folders, for Harbor takes names as patterns.
 * Variables of the agent are written as `${NAME}`: Harbor puts their values in when it starts an agent.
 */
export function jobConfig(job: HarborJob, options: HarborOptions): JsonObject {
  const { agentImportPath, agentName, agentModelName, agentKwargs, agentEnvFromHost } = options;
  const env = Object.fromEntries(agentEnvFromHost.map((name) => [name, `\${${name}}`]));
  const agent =
    agentImportPath === null ? { name: agentName ?? "oracle" } : { import_path: agentImportPath };
  return {
    job_name: job.jobName,
    jobs_dir: job.jobsDir,
    n_attempts: job.attempts,
    n_concurrent_trials: job.concurrency,
    quiet: options.quiet,
    retry: { max_retries: options.maxRetries },
    ...multipliers(options),
    artifacts: artifactsOf(options),
    agents: [
      { ...agent, ...given("model_name", agentModelName), kwargs: agentKwargs as JsonObject, env },
    ],
    tasks: job.taskFolders.map((folder) => ({
      path: folder,
      source: path.basename(path.dirname(folder)),
    })),
    environment: { type: options.environmentType },
    ...(options.traceDir === null ? {} : { verifier: { env: { TRACE_DIR: options.traceDir } } }),
  };
}

function multipliers(options: HarborOptions): JsonObject {
  return {
    ...given("timeout_multiplier", options.timeoutMultiplier),
    ...given("agent_timeout_multiplier", options.agentTimeoutMultiplier),
    ...given("verifier_timeout_multiplier", options.verifierTimeoutMultiplier),
    ...given("agent_setup_timeout_multiplier", options.agentSetupTimeoutMultiplier),
    ...given("environment_build_timeout_multiplier", options.environmentBuildTimeoutMultiplier),
  };
}

function artifactsOf({ traceDir, artifacts }: HarborOptions): JsonValue[] {
  const traces = traceDir === null ? [] : [{ source: traceDir, destination: "traces" }];
  return [...traces, ...artifacts];
}

function given(key: string, value: JsonValue | null): JsonObject {
  return value === null ? {} : { [key]: value };
}

export function harborArgv(program: string, configFile: string): readonly [string, ...string[]] {
  // Asked whether tasks may have variables of the host, nobody could answer.
  return [program, "run", "--config", configFile, "--yes"];
}

export interface HarborEnvironment {
  readonly options: Pick<HarborOptions, "agentEnvFromHost" | "inheritEnv">;
  /** Of the host: what children may have, and those asked for. */
  readonly host: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Absolute; null when the agent's code is installed. */
  readonly agentDir: string | null;
  /** A private home. */
  readonly home: string;
  /**
   * Harbor writes here what it gives to Compose, which has each container tell the path: by it containers are found
   * again that outlive their run.
   */
  readonly temporary: string;
}

/** Names of the host's variables that Harbor is given. */
export function hostNames({
  agentEnvFromHost,
  inheritEnv,
}: HarborEnvironment["options"]): string[] {
  return [...dockerVariables, ...agentEnvFromHost, ...inheritEnv];
}

/** Pure: the environment of Harbor. Its home is a private one, but the engine is the user's. */
export function harborEnv({
  options,
  host,
  secrets,
  agentDir,
  home,
  temporary,
}: HarborEnvironment) {
  const { HOME: hostHome, ...rest } = host;
  const docker =
    rest["DOCKER_CONFIG"] ?? (hostHome === undefined ? undefined : path.join(hostHome, ".docker"));
  const code = [agentDir === null ? undefined : path.dirname(agentDir), rest["PYTHONPATH"]];
  const pythonPath = code.filter((part) => part !== undefined).join(":");
  const isHomeAsked = options.inheritEnv.includes("HOME") && hostHome !== undefined;
  return {
    ...rest,
    ...secrets,
    HOME: isHomeAsked ? hostHome : home,
    TMPDIR: temporary,
    HARBOR_TELEMETRY: "off",
    ...(docker === undefined ? {} : { DOCKER_CONFIG: docker }),
    ...(pythonPath === "" ? {} : { PYTHONPATH: pythonPath }),
  };
}
