import { commandMarkVariable } from "../../sandbox/docker/end-command.ts";
import type { JsonValue } from "../../support/json.ts";
import { refuseSecrets, settingFlags, trialSettings } from "../codex/invocation.ts";
import type { CodexDockerOptions } from "./options.ts";

export const places = {
  workspace: "/workspace",
  finalOutput: "/final_output.txt",
  home: "/root",
  codexHome: "/root/.codex",
  auth: "/root/.codex/auth.json",
} as const;

export interface ContainerInvocation {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

export interface ContainerInputs {
  readonly options: CodexDockerOptions;
  /** Values of the host's variables that `inherit_env` names. */
  readonly inherited: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** A login file is mounted. */
  readonly hasLogin: boolean;
}

/** Pure: the command line and environment of one trial in its container. No secret is in argv. */
export function containerInvocation(inputs: ContainerInputs): ContainerInvocation {
  const { options, secrets } = inputs;
  const plainEnv = environmentOf(inputs);
  const settings: Record<string, JsonValue> = {
    ...trialSettings(options, [commandMarkVariable]),
    ...options.configOverrides,
  };
  const argv: [string, ...string[]] = [
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
  ];
  refuseSecrets("codex_docker_cli", argv, secrets);
  return { argv, env: { ...plainEnv, ...secrets } };
}

/** What starts Codex. */
export function codexCommand({
  codexPackage,
}: Pick<CodexDockerOptions, "codexPackage">): [string, ...string[]] {
  return codexPackage === null ? ["codex"] : ["npx", "-y", codexPackage];
}

/** Codex makes its home by itself where none is named, and refuses one that is named and is not there. */
export function environmentOf({
  options: { env },
  inherited,
  hasLogin,
}: Omit<ContainerInputs, "secrets">): Record<string, string> {
  const home: Record<string, string> = hasLogin ? { CODEX_HOME: places.codexHome } : {};
  return { HOME: places.home, ...inherited, ...env, ...home };
}
