import { getOwn } from "../../support/json.ts";
import { type UsageDraft, UsageMeter } from "../define/usage.ts";
import { at, type HarborResult, stepsOf } from "./read-result.ts";

/** Adds what the agent used: as the trial says, else the sum over its steps. What is no count is left out. */
export function usageOf(result: HarborResult): UsageMeter {
  const whole = usageOfAgent(getOwn(result.fields, "agent_result"));
  const isSaid = Object.values(whole).some((value) => value !== null);
  const parts = isSaid
    ? [whole]
    : stepsOf(result).map((step) => usageOfAgent(at(step, "agent_result")));
  const meter = new UsageMeter();
  for (const part of parts) meter.add(part);
  return meter;
}

function usageOfAgent(agent: unknown): UsageDraft {
  const number = (key: string) => {
    const value = at(agent, key);
    return typeof value === "number" && Number.isFinite(value) ? value : null;
  };
  return {
    promptTokens: number("n_input_tokens"),
    completionTokens: number("n_output_tokens"),
    cacheReadTokens: number("n_cache_tokens"),
    costUsd: number("cost_usd"),
  };
}
