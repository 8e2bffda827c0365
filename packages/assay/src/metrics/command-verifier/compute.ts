import type { CommandResult } from "../../contracts/evidence.ts";
import { AssayError } from "../../errors/assay-error.ts";
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
  readonly source: "reward.json" | "reward.txt" | "exit code" | "time limit";
  /** Every reward that reward.json gave, and why others were refused. */
  readonly rewards: Readonly<Record<string, number>>;
  readonly rejections: Readonly<Record<string, string>>;
}

/** The files of a verdict as the command left them; empty text where it wrote none. */
export interface RewardFiles {
  readonly json: string;
  readonly text: string;
}

/** reward.json, then reward.txt, then the exit code; out of time is 0, whatever was written. */
export function verdictOf(result: CommandResult, files: RewardFiles, rewardKey: string): Verdict {
  const plain = { rewards: {}, rejections: {} };
  if (result.isTimedOut) return { reward: 0, source: "time limit", ...plain };
  if (files.json.trim() !== "") return fromJson(files.json, rewardKey);
  if (files.text.trim() !== "")
    return { reward: fromText(files.text), source: "reward.txt", ...plain };
  return { reward: result.isOk ? 1 : 0, source: "exit code", ...plain };
}

function fromText(text: string): number {
  const written = text.trim();
  const isNumber = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(written);
  const reward = Number(written);
  if (isNumber && Number.isFinite(reward)) return reward;
  throw broken(`reward.txt holds ${JSON.stringify(cutText(written, 80))}, not a number`);
}

function fromJson(text: string, rewardKey: string): Verdict {
  const content = parseReward(text);
  const entries =
    typeof content === "number" ? [[rewardKey, content] as const] : entriesOf(content);
  const rewards: Record<string, number> = {};
  const rejections: Record<string, string> = {};
  for (const [name, value] of entries) {
    const reason = whyRejected(name, value);
    if (reason === null) setOwn(rewards, name, value);
    else setOwn(rejections, name, reason);
  }
  const reward = Object.hasOwn(rewards, rewardKey) ? rewards[rewardKey] : undefined;
  if (reward !== undefined) return { reward, source: "reward.json", rewards, rejections };
  throw broken(`reward.json gives no usable "${rewardKey}"${explain(rewards, rejections)}`);
}

function parseReward(text: string): unknown {
  try {
    return parseJson(text, "reward.json");
  } catch (cause) {
    throw broken("reward.json is not JSON", cause);
  }
}

function entriesOf(content: unknown): (readonly [string, unknown])[] {
  if (isPlainObject(content)) return Object.entries(content);
  throw broken(`reward.json holds ${describeKind(content)}, not a number or an object of numbers`);
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

function broken(problem: string, cause?: unknown): AssayError {
  return new AssayError("ASSAY_METRIC_FAILED", `metric "command-verifier": ${problem}`, {
    data: { metric: "command-verifier" },
    ...(cause === undefined ? {} : { cause }),
    remedy: "Mend the verifier: it writes a number, or an object of numbers.",
  });
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
