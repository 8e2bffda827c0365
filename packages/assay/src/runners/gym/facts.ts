import type { OptionPlace } from "../../contracts/runner.ts";
import { getOwn } from "../../support/json.ts";
import type { SaidFacts } from "../define/target-facts.ts";
import type { GymOptions } from "./options.ts";

const modelSetting = "policy_model_name";

/** The model among the options; null when env.yaml of Gym's folder names it. */
export function gymModel({ model, hydraParams }: Pick<GymOptions, "model" | "hydraParams">): {
  readonly name: string;
  readonly setBy: OptionPlace;
} | null {
  const setting = getOwn(hydraParams, modelSetting);
  // It stands behind the option on the command line, and the later one counts.
  if (typeof setting === "string" && setting !== "" && !setting.includes("${"))
    return { name: setting, setBy: ["hydra_params", modelSetting] };
  return model === null ? null : { name: model, setBy: ["model"] };
}

export function gymFacts(options: GymOptions): SaidFacts {
  const none = { unknown: "Gym's servers run on the machine itself, in no image" };
  return {
    model: gymModel(options) ?? {
      unknown: "no option names a model: env.yaml of gym_root does, which the probe reads",
    },
    prompt: {
      unknown: "the rows of the dataset are the prompts, and the environment may add to them",
    },
    sandbox: {
      isolation: "none",
      provider: { unknown: "nothing keeps Gym's servers from the machine" },
      image: none,
      imageDigest: none,
      limits: { collection_timeout_s: options.collectionTimeoutS },
      network: "unrestricted",
    },
  };
}
