import { z } from "zod";

import { AssayError } from "../../errors/assay-error.ts";
import { redactSettings } from "../../provenance/redaction/key-rules.ts";
import { dataMap, jsonValue, stringMap } from "../../schema/free-form.ts";
import { hostPath } from "../../schema/path-option.ts";
import { canonicalJson } from "../../support/canonical-json.ts";
import { isPlainObject, type JsonObject, type JsonValue } from "../../support/json.ts";
import { type OptionsOutput, operational, shapes } from "../../support/options.ts";
import { hydraOverrides } from "./override-text.ts";

const variablePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;
const variableName = () =>
  z.string().regex(variablePattern, "must be the name of an environment variable");

/** A name that stands alone on Gym's command line, so that it is no flag of its own. */
const componentName = () =>
  z
    .string()
    .regex(
      /^[A-Za-z0-9_][A-Za-z0-9_./-]*$/,
      'must be a name as Gym lists them: letters, digits, "_", "-", "." and "/"',
    );

const seconds = () => z.number().positive();

const whereabouts = "where it lies does not change what it does";
const patience = "how long is waited does not change what a trial does";

export const gymOptions = {
  /** Name of the agent that is evaluated: a server instance of the configuration. */
  agent: shapes(
    z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_-]*$/, "must be the name of a server instance")
      .describe("Name of the agent that is evaluated: a server instance of the configuration."),
  ),
  /** Name of the resources server, which holds the tools and the verifier. */
  resourcesServer: shapes(
    componentName().describe(
      "Name of the resources server, which holds the tools and the verifier.",
    ),
  ),
  /** Configuration of the agent: a path here, or one of Gym's own; null when the resources server's has the agent. */
  agentConfig: shapes(
    hostPath()
      .nullable()
      .default(null)
      .describe(
        "Configuration of the agent: a path here, or one of Gym's own; null when the resources server's has the agent.",
      ),
  ),
  /** Binds the agent of `agentConfig` to the resources server. */
  bindResourcesServer: shapes(
    z.boolean().default(true).describe("Binds the agent of agent_config to the resources server."),
  ),
  /** Kind of model server; `openai_model` needs an endpoint that speaks the Responses API. */
  modelType: shapes(
    componentName()
      .default("inference_provider")
      .describe(
        "Kind of model server; openai_model needs an endpoint that speaks the Responses API.",
      ),
  ),
  /** Name of the model; null leaves it to env.yaml or the settings. */
  model: shapes(
    z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe("Name of the model; null leaves it to env.yaml or the settings."),
  ),
  /** Address of the model's endpoint; null leaves it to env.yaml or the settings. */
  modelUrl: shapes(
    z
      .url()
      .nullable()
      .default(null)
      .describe("Address of the model's endpoint; null leaves it to env.yaml or the settings."),
  ),
  /** Declared secret that is the endpoint's key, by name; null leaves it to env.yaml or the settings. */
  apiKeySecret: operational(
    variableName()
      .nullable()
      .default(null)
      .describe(
        "Declared secret that is the endpoint's key, by name; null leaves it to env.yaml or the settings.",
      ),
    "which account pays shapes no result",
  ),
  /** Further settings of Gym (Hydra), by key. A secret is named: "${oc.env:NAME}". */
  hydraParams: shapes(
    dataMap(jsonValue())
      .default({})
      .describe(`Further settings of Gym (Hydra), by key. A secret is named: "\${oc.env:NAME}".`),
  ),
  /** Further environment of Gym, by name. Not for secrets: declare those. */
  envVars: shapes(
    stringMap()
      .default({})
      .describe("Further environment of Gym, by name. Not for secrets: declare those."),
  ),
  /** Names of host variables that Gym gets too. */
  inheritEnv: shapes(
    z.array(variableName()).default([]).describe("Names of host variables that Gym gets too."),
  ),
  /** Rollouts of each row; null takes the run's trials per task, which another number contradicts. */
  numRepeats: shapes(
    z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe(
        "Rollouts of each row; null takes the run's trials per task, which another number contradicts.",
      ),
  ),
  /** Field of a rollout that holds the reward. */
  rewardKey: shapes(
    z.string().min(1).default("reward").describe("Field of a rollout that holds the reward."),
  ),
  /** Rollouts at once; null takes the run's concurrency. */
  concurrency: operational(
    z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe("Rollouts at once; null takes the run's concurrency."),
    "how many rollouts go on at once does not change what one does",
  ),
  /** The gym command: a name on PATH, or a path. */
  gymBin: operational(
    hostPath().default("gym").describe("The gym command: a name on PATH, or a path."),
    "it is identified by its version, not by where it lies",
  ),
  /** Folder that Gym runs in, with its env.yaml and servers of your own; null makes a private one. */
  gymRoot: operational(
    hostPath()
      .nullable()
      .default(null)
      .describe(
        "Folder that Gym runs in, with its env.yaml and servers of your own; null makes a private one.",
      ),
    "what its env.yaml sets is in the resolved digest",
  ),
  /** Where Gym's files and logs are kept, in its folder gym_run; null makes a private folder, removed after the run. */
  workDir: operational(
    hostPath()
      .nullable()
      .default(null)
      .describe(
        "Where Gym's files and logs are kept, in its folder gym_run; null makes a private folder, removed after the run.",
      ),
    whereabouts,
  ),
  /** Port of Gym's head server; null takes a free one. */
  headServerPort: operational(
    z
      .int()
      .min(1)
      .max(65_535)
      .nullable()
      .default(null)
      .describe("Port of Gym's head server; null takes a free one."),
    whereabouts,
  ),
  /** Seconds until Gym's servers must be ready. */
  startupTimeoutS: operational(
    seconds().default(240).describe("Seconds until Gym's servers must be ready."),
    patience,
  ),
  /** Seconds that one collection of rollouts may take; null is no limit. */
  collectionTimeoutS: operational(
    seconds()
      .nullable()
      .default(null)
      .describe("Seconds that one collection of rollouts may take; null is no limit."),
    "what it cuts off is no result: a resumed run asks for it again",
  ),
  /** Seconds that Gym's servers have to end before they are killed. */
  shutdownGraceS: operational(
    seconds()
      .default(30)
      .describe("Seconds that Gym's servers have to end before they are killed."),
    patience,
  ),
};

export type GymOptions = OptionsOutput<typeof gymOptions>;

/** Rules over keys, which their schemas let pass. */
export function checkGymOptions({ hydraParams, envVars, modelUrl }: GymOptions): void {
  hydraOverrides(hydraParams);
  refuseCredentials(hydraParams);
  const { username, password } = new URL(modelUrl ?? "http://none");
  if (username !== "" || password !== "") {
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      "gym: model_url: a user's name or password in it would stand on a command line",
      { remedy: "Declare the credential in `secrets`, and name it in api_key_secret." },
    );
  }
  for (const name of Object.keys(envVars)) {
    if (!variablePattern.test(name))
      throw new AssayError("ASSAY_CONFIG_INVALID", `gym: env_vars: "${name}" is no variable name`);
  }
}

/** Settings reach Gym on its command line, which any user of the machine can read. */
function refuseCredentials(hydraParams: JsonObject): void {
  const bare = bareCredential(hydraParams, redactSettings(hydraParams), []);
  if (bare === null) return;
  const key = bare.join(".");
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    `gym: hydra_params: ${key} is a credential by its name, and would stand on a command line`,
    {
      data: { key },
      remedy: `Name a variable, "\${oc.env:NAME}", and declare NAME in \`secrets\`.`,
    },
  );
}

/** The path of a value that redaction takes out and that is no name of a variable. */
function bareCredential(
  value: JsonValue,
  redacted: JsonValue,
  path: readonly string[],
): readonly string[] | null {
  if (isPlainObject(value) && isPlainObject(redacted)) {
    for (const [key, inner] of Object.entries(value as JsonObject)) {
      const found = bareCredential(inner, (redacted as JsonObject)[key] ?? null, [...path, key]);
      if (found !== null) return found;
    }
    return null;
  }
  if (canonicalJson(value) === canonicalJson(redacted)) return null;
  const isReference = typeof value === "string" && /^\$\{[\w.]+(?::\w+)?\}$/.test(value);
  return isReference ? null : path;
}
