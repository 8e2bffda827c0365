import type { CommandResult } from "../../contracts/evidence.ts";
import { cutText } from "../../support/cut-text.ts";
import {
  describeKind,
  isPlainObject,
  type JsonObject,
  parseJson,
  setOwn,
} from "../../support/json.ts";

export interface Verdict {
  readonly reward: number;
  /** Where it was read from. */
  readonly source: "reward.json" | "reward.txt" | "exit code" | "nothing";
  /** Why the reward is 0 although the command itself gave no such reward; null when it gave this one. */
  readonly problem: string | null;
  /** Every reward that reward.json gave, and why others were refused. */
  readonly rewards: Readonly<Record<string, number>>;
  readonly rejections: Readonly<Record<string, string>>;
}

/** The files of a verdict as the command left them: empty where it wrote none, null where it left no small regular file. */
export interface RewardFiles {
  readonly json: string | null;
  readonly text: string | null;
}

const plain = { problem: null, rewards: {}, rejections: {} };

/** No reward of the command's own: 0, for whatever is not measured would leave the average to the agent's advantage. */
export function noReward(problem: string, more: Partial<Verdict> = {}): Verdict {
  return { ...plain, reward: 0, source: "nothing", ...more, problem };
}

/** reward.json, then reward.txt, then the exit code; out of time is 0, whatever was written. */
export function verdictOf(result: CommandResult, files: RewardFiles, rewardKey: string): Verdict {
  const { json, text } = files;
  if (result.lost !== undefined) return noReward(result.lost);
  if (result.isTimedOut) return noReward("the verifier was stopped by its time limit");
  if (json === null) return noReward("reward.json is no regular file of at most 1 MiB");
  if (json.trim() !== "") return fromJson(json, rewardKey);
  if (text === null) return noReward("reward.txt is no regular file of at most 1 MiB");
  if (text.trim() !== "") return fromText(text.trim());
  return { ...plain, reward: result.isOk ? 1 : 0, source: "exit code" };
}

function fromText(written: string): Verdict {
  const isNumber = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(written);
  const reward = Number(written);
  if (isNumber && Number.isFinite(reward)) return { ...plain, reward, source: "reward.txt" };
  return noReward(`reward.txt holds ${shown(written)}, not a number`);
}

function fromJson(text: string, rewardKey: string): Verdict {
  let content: unknown;
  try {
    content = parseJson(text, "reward.json");
  } catch {
    return noReward(`reward.json holds ${shown(text.trim())}, which is not JSON`);
  }
  if (typeof content !== "number" && !isPlainObject(content)) {
    const kind = describeKind(content);
    return noReward(`reward.json holds ${kind}, not a number or an object of numbers`);
  }
  const entries =
    typeof content === "number" ? [[rewardKey, content] as const] : Object.entries(content);
  const rewards: Record<string, number> = {};
  const rejections: Record<string, string> = {};
  for (const [name, value] of entries) {
    const reason = whyRejected(name, value);
    if (reason === null) setOwn(rewards, name, value);
    else setOwn(rejections, name, reason);
  }
  const reward = Object.hasOwn(rewards, rewardKey) ? rewards[rewardKey] : undefined;
  if (reward !== undefined) return { ...plain, reward, source: "reward.json", rewards, rejections };
  const why = explain(rewards, rejections);
  return noReward(`reward.json gives no usable "${rewardKey}"${why}`, { rewards, rejections });
}

function shown(text: string): string {
  return JSON.stringify(cutText(text, 80));
}

/** Names are 1 to 255 characters without control characters; `.pass@<n>` is kept for aggregates. */
function whyRejected(name: string, value: unknown): string | null {
  if (name === "" || name.length > 255 || /\p{Cc}/u.test(name)) return "invalid_key";
  if (/\.pass@\d+$/.test(name)) return "reserved_key";
  if (typeof value === "boolean") return "boolean";
  if (typeof value !== "number") return "non_numeric";
  return Number.isFinite(value) ? null : "non_finite";
}

function explain(rewards: JsonObject, rejections: JsonObject): string {
  const usable = Object.keys(rewards);
  const refused = Object.entries(rejections).map(([name, reason]) => `${name}: ${reason}`);
  const parts = [
    ...(usable.length === 0 ? [] : [`it has ${usable.join(", ")}`]),
    ...(refused.length === 0 ? [] : [`refused: ${refused.join(", ")}`]),
  ];
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}

const tailBytes = 2048;

/** The last 2 KiB of a text, cut at a whole character. */
export function tailOf(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= tailBytes) return text;
  let start = bytes.length - tailBytes;
  // Bytes 10xxxxxx continue a character.
  while ((bytes[start] ?? 0) >> 6 === 0b10) start += 1;
  return bytes.subarray(start).toString();
}
