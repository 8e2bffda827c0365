// @ts-check
/**
 * Chooses what the scripted model does next.
 *
 * @typedef {{ run: string }} RunStep a shell command the agent is told to run
 * @typedef {{ say: string }} SayStep the final message; it ends the turn
 * @typedef {{ silence: true }} SilenceStep the request is accepted and never answered
 * @typedef {{ status: number, message: string, retryAfterS?: number, times?: number }} StatusStep an HTTP error
 * @typedef {{ cut: true, times?: number }} CutStep an answer that breaks off in the middle
 * @typedef {RunStep | SayStep | SilenceStep | StatusStep | CutStep} Step
 *
 * A script belongs to the task whose instruction has the line `# <title>`. Conversations about that task play the takes
 * in turn: the first conversation the first take, the second the second, and so on round. So two trials of a task with
 * one good and one bad take always give one pass and one failure, whichever of them asks first.
 * @typedef {{ title: string, takes: Step[][] }} Script
 *
 * @typedef {import("./request-facts.mjs").RequestFacts} RequestFacts
 * @typedef {import("./responses-stream.mjs").Usage} Usage
 * @typedef {{ script: Script, takeIndex: number, stepIndex: number, step: Step, usage: Usage }} Move
 */

import { usageAt } from "./scripted-usage.mjs";

/** @param {readonly Script[]} scripts */
export function createScriptPlayer(scripts) {
  /** @type {Map<Script, string[]>} conversations of each script, in the order of their first request */
  const conversations = new Map(scripts.map((script) => [script, []]));
  /** @type {Map<Step, number>} how often each fault has been played */
  const played = new Map();

  return {
    /**
     * @param {RequestFacts} facts
     * @returns {Move | undefined} nothing when no script knows the prompt or the script has ended
     */
    next(facts) {
      const script = scripts.find(({ title }) => facts.promptLines.includes(`# ${title}`));
      if (script === undefined) return undefined;
      const takeIndex =
        ordinalOf(facts.conversationId, conversations.get(script) ?? []) % script.takes.length;
      const take = script.takes[takeIndex] ?? [];
      const stepIndex = findStep(take, facts.toolResults, played);
      const step = take[stepIndex];
      if (step === undefined) return undefined;
      played.set(step, (played.get(step) ?? 0) + 1);
      return { script, takeIndex, stepIndex, step, usage: usageAt(take, stepIndex) };
    },
  };
}

/**
 * @param {string} id
 * @param {string[]} known
 */
function ordinalOf(id, known) {
  if (!known.includes(id)) known.push(id);
  return known.indexOf(id);
}

/**
 * The step after the last command whose result is known, without the faults that have been played often enough. Faults
 * are counted for the whole server and not per conversation: an agent that gives up after one gets through when it is
 * started anew.
 *
 * @param {Step[]} take
 * @param {number} toolResults
 * @param {Map<Step, number>} played
 */
function findStep(take, toolResults, played) {
  let commandsToSkip = toolResults;
  return take.findIndex((step) => {
    if ("run" in step && commandsToSkip > 0) {
      commandsToSkip -= 1;
      return false;
    }
    if (commandsToSkip > 0) return false;
    const limit =
      "times" in step ? (step.times ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    return (played.get(step) ?? 0) < limit;
  });
}
