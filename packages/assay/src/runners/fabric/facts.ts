import type { OptionPlace, SandboxFacts, TargetFacts } from "../../contracts/runner.ts";
import type { FabricAgentOptions } from "./agent-options.ts";
import { mergedConfig, objectAt } from "./config.ts";
import type { FabricOptions } from "./options.ts";

export interface FabricModel {
  readonly name: string;
  readonly setBy: OptionPlace;
}

/** The model that is asked for: the option, else `models.default.model` of the configuration with its profiles. */
export function fabricModel(
  options: Pick<FabricAgentOptions, "config" | "profiles" | "model">,
): FabricModel | null {
  if (options.model !== null) return { name: options.model, setBy: ["model"] };
  const modelOf = (config: FabricAgentOptions["config"]) =>
    objectAt(objectAt(config, "models"), "default")["model"];
  const name = modelOf(mergedConfig(options));
  if (typeof name !== "string" || name === "") return null;
  const isOfProfile = options.profiles.some((profile) => modelOf(profile) !== undefined);
  return { name, setBy: isOfProfile ? ["profiles"] : ["config", "models", "default", "model"] };
}

export function agentFacts(
  options: Pick<FabricAgentOptions, "config" | "profiles" | "model">,
): Pick<TargetFacts, "model" | "prompt"> {
  return {
    model: fabricModel(options) ?? {
      unknown: "no option names a model: the harness takes its own default, and does not tell",
    },
    prompt: { unknown: "the instruction of each task is handed over as it is" },
  };
}

/** The adapter that is asked for; null when a workflow is. */
function adapterId(options: Pick<FabricAgentOptions, "config" | "profiles">): string | null {
  const id = objectAt(mergedConfig(options), "harness")["adapter_id"];
  return typeof id === "string" ? id : null;
}

export function fabricFacts(options: FabricOptions): TargetFacts {
  return { ...agentFacts(options), sandbox: sandboxFacts(options) };
}

const codexAdapter = "nvidia.fabric.codex";

/** What keeps the agent from the machine; null when nothing that is known does. */
export function harnessSandbox(options: Pick<FabricOptions, "config" | "profiles">): string | null {
  if (adapterId(options) !== codexAdapter) return null;
  const settings = objectAt(objectAt(mergedConfig(options), "harness"), "settings");
  const mode = settings["sandbox"] ?? "read-only";
  return mode === "danger-full-access" ? null : `codex ${String(mode)}`;
}

function sandboxFacts(options: FabricOptions): SandboxFacts {
  const provider = harnessSandbox(options);
  const none = { unknown: "the harness runs on the machine itself, in no image" };
  return {
    isolation: provider === null ? "none" : "os_sandbox",
    provider: provider ?? { unknown: "Fabric runs its harness as a program of this user" },
    image: none,
    imageDigest: none,
    limits: { timeout_s: options.timeoutS },
    network:
      provider === null
        ? "unrestricted"
        : { unknown: "the harness's own settings say what its commands reach" },
  };
}
