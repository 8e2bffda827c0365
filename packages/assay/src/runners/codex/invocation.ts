import path from "node:path";

import { AssayError } from "../../errors/assay-error.ts";
import { isPlainObject, type JsonValue } from "../../support/json.ts";
import type { CodexOptions } from "./options.ts";
import { toToml } from "./toml.ts";

/** Where one trial's files lie. */
export interface CodexPlaces {
  readonly directory: string;
  readonly workspace: string;
  /** Codex's home: private, or the user's for its login. */
  readonly home: string;
}

export interface CodexInvocation {
  readonly argv: readonly [string, ...string[]];
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

/** Variables that Codex's shell may see; the credential is not among them, the marks are. */
const shellVariables = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "ASSAY_RUN_MARK", "ASSAY_PROCESS_MARK"];

/** Pure: the command line and environment of one trial. No secret is in argv. */
export function codexInvocation({ program, options, places, baseEnv, secrets }: InvocationInputs): CodexInvocation {
  const finalOutput = path.join(places.directory, "final_output.txt");
  const plainEnv = {
    ...baseEnv,
    HOME: path.join(places.directory, "home"),
    TMPDIR: path.join(places.directory, "tmp"),
    CODEX_HOME: places.home,
    ...options.env,
  };
  const settings = { ...ownSettings(options, plainEnv["TMPDIR"] ?? ""), ...options.configOverrides };
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
    ...Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${toToml(expand(value, { env: plainEnv, secrets, key }))}`]),
    "-",
  ];
  return { argv, env: { ...plainEnv, ...secrets }, finalOutput };
}

/** What keeps a trial private and its faults visible; a user's override of the same key wins. */
function ownSettings({ sandbox, networkAccess, env, inheritEnv }: CodexOptions, tmp: string): Record<string, JsonValue> {
  const sandboxSettings: Record<string, JsonValue> =
    sandbox !== "workspace-write"
      ? {}
      : {
          "sandbox_workspace_write.exclude_slash_tmp": true,
          "sandbox_workspace_write.exclude_tmpdir_env_var": true,
          "sandbox_workspace_write.writable_roots": [tmp],
          "sandbox_workspace_write.network_access": networkAccess,
        };
  return {
    ...sandboxSettings,
    "shell_environment_policy.ignore_default_excludes": false,
    "shell_environment_policy.include_only": [...new Set([...shellVariables, ...Object.keys(env), ...inheritEnv])],
    // Else the environment is written to files that the agent can read.
    "features.shell_snapshot": false,
    // Else a refused connection waits for ever and looks like the agent's time limit.
    "features.unbounded_connection_retries": false,
    "features.plugins": false,
    "analytics.enabled": false,
  };
}

interface Expansion {
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly key: string;
}

/** Replaces `${NAME}` by a variable of the child's environment; a secret would end in argv and is refused. */
function expand(value: JsonValue, place: Expansion): JsonValue {
  if (typeof value === "string") return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_match, name: string) => variable(name, place));
  if (Array.isArray(value)) return value.map((item: JsonValue) => expand(item, place));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item as JsonValue, place)]));
}

function variable(name: string, { env, secrets, key }: Expansion): string {
  if (Object.hasOwn(secrets, name)) {
    throw new AssayError("ASSAY_CONFIG_INVALID", `config_overrides["${key}"] names the secret ${name}, which must not be in a command line`, {
      remedy: "Let Codex read it from its environment, e.g. with env_key.",
    });
  }
  const value = env[name];
  if (value !== undefined) return value;
  throw new AssayError("ASSAY_CONFIG_INVALID", `config_overrides["${key}"] names ${name}, which Codex's environment does not have`, {
    remedy: `Set it in the option env, or name it in inherit_env and set it in the environment.`,
  });
}
