import { commandMarkVariable } from "../../sandbox/docker/end-command.ts";
import type { JsonValue } from "../../support/json.ts";
import { refuseSecrets, settingFlags, trialSettings } from "../codex/invocation.ts";
import type { CodexDockerOptions } from "./options.ts";

/** Where things are in a container. What is not the workspace is Assay's, and away from what an image may hold. */
export const places = {
  workspace: "/workspace",
  finalOutput: "/assay/final_output.txt",
  home: "/assay/home",
  codexHome: "/assay/codex-home",
  auth: "/assay/codex-home/auth.json",
} as const;

/** Codex refuses a home that is not there. */
const makeHomes = 'mkdir -p "$HOME" "$CODEX_HOME" && exec "$@"';

export interface ContainerInvocation {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

export interface ContainerInputs {
  readonly options: CodexDockerOptions;
  /** Values of the host's variables that `inherit_env` names. */
  readonly inherited: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Pure: the command line and environment of one trial in its container. No secret is in argv. */
export function containerInvocation(inputs: ContainerInputs): ContainerInvocation {
  const { options, secrets } = inputs;
  const plainEnv = environmentOf(inputs);
  const settings: Record<string, JsonValue> = {
    ...trialSettings(options, [commandMarkVariable]),
    ...options.configOverrides,
  };
  const argv = inHomes([
    ...codexCommand(options),
    "exec",
    "--skip-git-repo-check",
    "--ephemeral",
    // The container is the boundary; in it Codex can seldom make one of its own.
    "--sandbox",
    "danger-full-access",
    "--cd",
    places.workspace,
    "--output-last-message",
    places.finalOutput,
    "--json",
    ...(options.model === null ? [] : ["--model", options.model]),
    ...settingFlags(settings, { env: plainEnv, secrets }),
    "-",
  ]);
  refuseSecrets("codex_docker_cli", argv, secrets);
  return { argv, env: { ...plainEnv, ...secrets } };
}

/** What starts Codex. */
export function codexCommand({
  codexPackage,
}: Pick<CodexDockerOptions, "codexPackage">): [string, ...string[]] {
  return codexPackage === null ? ["codex"] : ["npx", "-y", codexPackage];
}

/** The same in homes of its own. */
export function inHomes(argv: readonly string[]): [string, ...string[]] {
  return ["sh", "-c", makeHomes, "sh", ...argv];
}

export function environmentOf({
  options: { env },
  inherited,
}: Omit<ContainerInputs, "secrets">): Record<string, string> {
  return { HOME: places.home, ...inherited, ...env, CODEX_HOME: places.codexHome };
}
