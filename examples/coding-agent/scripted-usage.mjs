// @ts-check
/**
 * Token counts of a scripted answer: a function of the script alone, so that every run reports the same usage.
 *
 * @typedef {import("./script-player.mjs").Step} Step
 * @typedef {import("./responses-stream.mjs").Usage} Usage
 */

const PROMPT_TOKENS = 6200;
const TOOL_RESULT_TOKENS = 180;
const REASONING_TOKENS = 24;
const CHARACTERS_PER_TOKEN = 4;
const CACHE_BLOCK_TOKENS = 128;

/**
 * @param {readonly Step[]} take
 * @param {number} stepIndex
 * @returns {Usage}
 */
export function usageAt(take, stepIndex) {
  const step = take[stepIndex];
  const earlier = take.slice(0, stepIndex).filter((candidate) => "run" in candidate);
  const last = earlier.at(-1);
  const inputTokens = PROMPT_TOKENS + sum(earlier.map(exchangeTokens));
  const previousInput = last === undefined ? 0 : inputTokens - exchangeTokens(last);
  return {
    inputTokens,
    cachedTokens: previousInput - (previousInput % CACHE_BLOCK_TOKENS),
    outputTokens: step === undefined ? 0 : REASONING_TOKENS + textTokens(step),
    reasoningTokens: REASONING_TOKENS,
  };
}

/** @param {Step} step */
function exchangeTokens(step) {
  return textTokens(step) + TOOL_RESULT_TOKENS;
}

/** @param {Step} step */
function textTokens(step) {
  const text = "run" in step ? step.run : "say" in step ? step.say : "";
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** @param {number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
