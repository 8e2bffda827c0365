import { isPlainObject, type JsonObject, setOwn } from "../../support/json.ts";
import { at, type HarborResult, nonFiniteMark } from "./read-result.ts";

export type RewardRejection = "boolean" | "non_numeric" | "non_finite";

export interface Rewards {
  /** That under the reward key; null for none. */
  readonly reward: number | null;
  /** Every finite reward by its key. */
  readonly details: Readonly<Record<string, number>>;
  /** Why a value is no reward, by its key. */
  readonly rejections: Readonly<Record<string, RewardRejection>>;
  /** Entries whose key cannot be used: where they stand, and why. */
  readonly entryRejections: readonly {
    readonly position: number;
    readonly reason: "invalid_key" | "reserved_key";
  }[];
}

/** What is wrong with a key of a reward, or null. Pass@k statistics have names of their own. */
export function rewardKeyProblem(key: string): "invalid_key" | "reserved_key" | null {
  if (key.length < 1 || key.length > 255 || /\p{Cc}/u.test(key)) return "invalid_key";
  return /\.pass@\d+$/.test(key) ? "reserved_key" : null;
}

export function rewardsOf({ fields }: HarborResult, rewardKey: string): Rewards {
  const details: Record<string, number> = {};
  const rejections: Record<string, RewardRejection> = {};
  const entryRejections: Rewards["entryRejections"][number][] = [];
  const given = at(fields, "verifier_result", "rewards");
  for (const [position, [key, value]] of Object.entries(
    isPlainObject(given) ? given : {},
  ).entries()) {
    const reason = rewardKeyProblem(key);
    if (reason !== null) entryRejections.push({ position, reason });
    else if (typeof value === "number" && Number.isFinite(value)) setOwn(details, key, value);
    else setOwn(rejections, key, rejectionOf(value));
  }
  const reward = Object.hasOwn(details, rewardKey) ? (details[rewardKey] ?? null) : null;
  return { reward, details, rejections, entryRejections };
}

function rejectionOf(value: unknown): RewardRejection {
  if (typeof value === "boolean") return "boolean";
  return typeof value === "number" || value === nonFiniteMark ? "non_finite" : "non_numeric";
}

export function rewardMetadata(rewards: Rewards, rewardKey: string): JsonObject {
  const { reward, details, rejections, entryRejections } = rewards;
  const hasAny = (map: object) => Object.keys(map).length > 0;
  return {
    reward,
    reward_details: details,
    harbor_primary_reward_key: rewardKey,
    ...(hasAny(rejections) ? { reward_rejections: rejections } : {}),
    ...(entryRejections.length > 0
      ? { reward_entry_rejections: entryRejections.map((entry) => ({ ...entry })) }
      : {}),
  };
}
