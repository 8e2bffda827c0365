import path from "node:path";

import { AssayError } from "../../errors/assay-error.ts";
import { processMarkVariable, runMarkVariable } from "../../platform/process/process-marks.ts";
import type { JsonValue } from "../../support/json.ts";
import type { CodexAgentOptions } from "./agent-options.ts";
import type { CodexOptions } from "./options.ts";
import { toToml } from "./toml.ts";
import { expandVariables } from "./variables.ts";

/** Where one trial's files lie. */
export interface CodexPlaces {
  readonly directory: string;
  readonly workspace: string;
  /** Codex's home: private, or the user's for its login. */
  readonly home: string;
}

export interface CodexInvocation {
  readonly argv: readonly [string, ...string[]];
  /** The part of argv that holds settings. */
  readonly settings: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly finalOutput: string;
}

export interface InvocationInputs {
  readonly program: string;
  readonly options: CodexOptions;
  readonly places: CodexPlaces;
  /** The allow-listed part of the host's environment. */
  readonly baseEnv: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** What Codex's shell may see, beside the marks by which its processes are found: no credential is among them. */
const shellVariables = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"];

/** Pure: the command line and environment of one trial. No secret is in argv. */
export function codexInvocation(inputs: InvocationInputs): CodexInvocation {
  const { program, options, places, baseEnv, secrets } = inputs;
  const finalOutput = path.join(places.directory, "final_output.txt");
  const plainEnv = {
    ...baseEnv,
    HOME: path.join(places.directory, "home"),
    TMPDIR: path.join(places.directory, "tmp"),
    CODEX_HOME: places.home,
    ...options.env,
  };
  const settings = settingFlags(
    { ...ownSettings(options), ...options.configOverrides },
    { env: plainEnv, secrets },
  );
  const argv: [string, ...string[]] = [
    program,
    "exec",
    "--skip-git-repo-check",
    "--ephemeral",
    "--ignore-user-config",
    "--sandbox",
    options.sandbox,
    "--cd",
    places.workspace,
    "--output-last-message",
    finalOutput,
    "--json",
    ...(options.model === null ? [] : ["--model", options.model]),
    ...settings,
    "-",
  ];
  refuseSecrets("codex_cli", argv, secrets);
  return { argv, settings, env: { ...plainEnv, ...secrets }, finalOutput };
}

/** Settings by dotted key as flags; null takes one out. */
export function settingFlags(
  settings: Readonly<Record<string, JsonValue>>,
  environment: Pick<CodexInvocation, "env"> & Pick<InvocationInputs, "secrets">,
): string[] {
  return Object.entries(settings).flatMap(([key, value]) => {
    if (value === null) return [];
    return ["-c", `${key}=${toToml(expandVariables(value, { ...environment, key }))}`];
  });
}

/** What keeps a trial private and its faults visible. A user's override of the same key wins; null takes it out. */
function ownSettings({ sandbox, networkAccess, ...options }: CodexOptions) {
  return {
    ...(sandbox === "workspace-write" ? workspaceWriteSettings(networkAccess) : {}),
    ...trialSettings(options, [runMarkVariable, processMarkVariable]),
  };
}

/** Those of any trial; `marks` are the variables by which its processes are found. */
export function trialSettings(
  { env, inheritEnv }: Pick<CodexAgentOptions, "env" | "inheritEnv">,
  marks: readonly string[],
) {
  const shellNames = new Set([...shellVariables, ...marks, ...Object.keys(env), ...inheritEnv]);
  return {
    "shell_environment_policy.ignore_default_excludes": false,
    "shell_environment_policy.include_only": [...shellNames],
    // Else Codex writes the shell's environment to files that the agent can read.
    "features.shell_snapshot": false,
    // Else a refused connection is waited out for ever, and looks like the agent's time limit.
    "features.unbounded_connection_retries": false,
    // Else it asks servers of its own for plugins, and reports use.
    "features.plugins": false,
    "analytics.enabled": false,
    // Else an AGENTS.md of any folder above the workspace enters the prompt.
    project_root_markers: [],
  };
}

/** Only the workspace and the private TMPDIR can be written. */
function workspaceWriteSettings(networkAccess: boolean) {
  return {
    "sandbox_workspace_write.exclude_slash_tmp": true,
    "sandbox_workspace_write.exclude_tmpdir_env_var": false,
    "sandbox_workspace_write.network_access": networkAccess,
  };
}

/** Any user of the machine can read a command line. */
export function refuseSecrets(
  runner: string,
  argv: readonly string[],
  secrets: InvocationInputs["secrets"],
): void {
  for (const [name, value] of Object.entries(secrets)) {
    const forms = [value, toToml(value).slice(1, -1)];
    if (!argv.some((argument) => forms.some((form) => argument.includes(form)))) continue;
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      `the options of ${runner} hold the value of the secret ${name}, which must not be in a command line`,
      { remedy: "Let Codex read it from its environment, e.g. with env_key." },
    );
  }
}
