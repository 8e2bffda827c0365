import type { OptionPlace, SandboxFacts, TargetFacts } from "../../contracts/runner.ts";
import type { CodexAgentOptions } from "./agent-options.ts";
import type { CodexOptions } from "./options.ts";
import { expandVariables } from "./variables.ts";

interface CodexModel {
  readonly name: string;
  readonly setBy: OptionPlace;
}

const modelSetting = "model";

/**
 * The model that Codex is asked for: its flag wins over the setting. Null leaves the choice to Codex. A setting may name a
 * variable of Codex's environment, of which the options know a part.
 */
export function codexModel(
  { model, configOverrides, env }: Pick<CodexAgentOptions, "model" | "configOverrides" | "env">,
  variables: Readonly<Record<string, string>> = env,
): CodexModel | null {
  if (model !== null) return { name: model, setBy: ["model"] };
  const setting = configOverrides[modelSetting];
  if (typeof setting !== "string" || setting === "") return null;
  const name = expanded(setting, variables);
  return name === null ? null : { name, setBy: ["config_overrides", modelSetting] };
}

function expanded(text: string, env: Readonly<Record<string, string>>): string | null {
  try {
    return String(expandVariables(text, { env, secrets: {}, key: modelSetting }));
  } catch {
    // A variable that is not there, or one that must not be named: no trial is run with it.
    return null;
  }
}

/** The model as a fact, with why it is unknown where it is. */
export function modelFact(
  options: Pick<CodexAgentOptions, "model" | "configOverrides" | "env">,
): TargetFacts["model"] {
  const isNamed = typeof options.configOverrides[modelSetting] === "string";
  return (
    codexModel(options) ?? {
      unknown: isNamed
        ? "it is taken from a variable of the host when a trial begins"
        : "no option names a model: Codex takes the default of its version, and does not tell",
    }
  );
}

export function codexFacts(options: CodexOptions): TargetFacts {
  return {
    model: modelFact(options),
    prompt: {
      setBy: ["prompt_builder"],
      isSuiteCode: options.promptBuilder.module !== "assay",
    },
    sandbox: sandboxFacts(options),
  };
}

function sandboxFacts({ sandbox, timeoutS, ...options }: CodexOptions): SandboxFacts {
  const isOff = sandbox === "danger-full-access";
  const none = { unknown: "Codex runs on the machine itself, in no image" };
  return {
    isolation: isOff ? "none" : "os_sandbox",
    provider: isOff ? { unknown: "Codex's sandbox is switched off" } : `codex ${sandbox}`,
    image: none,
    imageDigest: none,
    limits: { timeout_s: timeoutS },
    network: isOff || isNetworkOpen({ sandbox, ...options }) ? "unrestricted" : "none",
  };
}

function isNetworkOpen({
  sandbox,
  networkAccess,
  configOverrides,
}: Pick<CodexOptions, "sandbox" | "networkAccess" | "configOverrides">): boolean {
  if (sandbox !== "workspace-write") return false;
  const setting = configOverrides["sandbox_workspace_write.network_access"];
  return typeof setting === "boolean" ? setting : networkAccess;
}
