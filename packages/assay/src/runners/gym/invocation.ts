import path from "node:path";

import { AssayError } from "../../errors/assay-error.ts";
import type { GymOptions } from "./options.ts";
import { hydraOverride, hydraOverrides } from "./override-text.ts";

/** Where Gym works, and what it was found to need. */
export interface GymPlaces {
  /** The gym command, absolute. */
  readonly program: string;
  /** The folder that it runs in. */
  readonly cwd: string;
  /** Configuration of the agent: absolute where it is a file here. */
  readonly agentConfig: string | null;
  /** Where uv keeps its packages when Gym's own place for them is private. */
  readonly uvCache: string | null;
}

export type Argv = readonly [string, ...string[]];

/** What names the servers: the same words check them and start them. */
export function selection(
  { program, agentConfig, uvCache }: GymPlaces,
  verb: "validate" | "start",
  options: GymOptions,
): Argv {
  const { agent, resourcesServer, modelType, model, modelUrl, apiKeySecret } = options;
  const isBound = options.bindResourcesServer && agentConfig !== null;
  return [
    program,
    "env",
    verb,
    ...(agentConfig === null ? [] : ["--config", agentConfig]),
    "--model-type",
    modelType,
    "--resources-server",
    resourcesServer,
    ...(model === null ? [] : [hydraOverride("policy_model_name", model)]),
    ...(modelUrl === null ? [] : [hydraOverride("policy_base_url", modelUrl)]),
    ...(apiKeySecret === null
      ? []
      : [hydraOverride("policy_api_key", `\${oc.env:${apiKeySecret}}`)]),
    ...(isBound
      ? [
          `+${agent}.responses_api_agents.${agent}.resources_server.name=${serverName(resourcesServer)}`,
        ]
      : []),
    ...(uvCache === null ? [] : [hydraOverride("uv_cache_dir", uvCache)]),
    ...hydraOverrides(options.hydraParams),
  ];
}

/** `name/flavor` is a configuration of the server `name`. */
function serverName(resourcesServer: string): string {
  return resourcesServer.split("/")[0] ?? resourcesServer;
}

/** Hydra writes a folder of its own on each start; it may not be the suite's. */
export function withRunFolder(argv: Argv, folder: string): Argv {
  return [...argv, `hydra.run.dir='${folder.replaceAll("'", "\\'")}'`];
}

export function withHeadServer(argv: Argv, port: number): Argv {
  return [...argv, "++head_server.host='127.0.0.1'", `++head_server.port=${port}`];
}

export interface CollectionFiles {
  readonly input: string;
  readonly rollouts: string;
}

export function collection(
  program: string,
  { input, rollouts }: CollectionFiles,
  job: { readonly agent: string; readonly repeats: number; readonly concurrency: number },
): Argv {
  const { agent, repeats, concurrency } = job;
  return [
    program,
    "eval",
    "run",
    "--no-serve",
    "--agent",
    agent,
    "--input",
    input,
    "--output",
    rollouts,
    "--num-repeats",
    String(repeats),
    "--concurrency",
    String(concurrency),
  ];
}

export interface EnvironmentInputs {
  readonly options: Pick<GymOptions, "envVars">;
  /** The allow-listed part of the host's environment. */
  readonly baseEnv: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly program: string;
}

/** The whole environment of Gym. Tools of the folder that it lies in (`uv`, `python`) are found first. */
export function gymEnvironment({
  options,
  baseEnv,
  secrets,
  program,
}: EnvironmentInputs): Readonly<Record<string, string>> {
  const { PATH = "", ...base } = baseEnv;
  return {
    ...base,
    PATH: [path.dirname(program), ...(PATH === "" ? [] : [PATH])].join(":"),
    // Else Ray makes an environment of its own for each of its workers.
    RAY_ENABLE_UV_RUN_RUNTIME_ENV: "0",
    ...options.envVars,
    ...secrets,
  };
}

/** Any user of the machine can read a command line. */
export function refuseSecrets(argv: Argv, secrets: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(secrets)) {
    if (!argv.some((argument) => argument.includes(value))) continue;
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      `the options of gym hold the value of the secret ${name}, which must not be in a command line`,
      { remedy: `Name the variable instead: "\${oc.env:${name}}".` },
    );
  }
}
