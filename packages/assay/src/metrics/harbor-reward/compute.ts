import { getOwn, type JsonObject } from "../../support/json.ts";

/** The reward that the runner took from Harbor; null for none: a boolean, a text or a number that is not finite is none. */
export function rewardOf(metadata: JsonObject): number | null {
  const reward = getOwn(metadata, "reward");
  return typeof reward === "number" && Number.isFinite(reward) ? reward : null;
}
