// @ts-check
// In which part of the life of a run the kill comes.

/** @typedef {import("./workloads.mjs").Start} Start */
/**
 * A start that came before: it ended by itself, or was killed when it had passed this part of its points.
 * @typedef {{ start: Start, killedAt: number | null }} EarlierStart
 */
/**
 * @typedef {object} Phase
 * @property {string} name
 * @property {readonly EarlierStart[]} earlier
 * @property {Start} killed the start that is killed
 * @property {number} weight of the points that are asked for
 * @property {number | null} kills null: once, at a file operation; or so often, each at a moment of its own
 * @property {boolean} [cutsPower] what was not synced at the kill is lost
 */

/** @type {Start} */
const fresh = { resume: false, retryFailed: false, isMended: false, size: "whole" };
const resume = { ...fresh, resume: true };
const retry = { ...resume, retryFailed: true, isMended: true };

/** @type {readonly Phase[]} */
const killed = [
  { name: "first run", earlier: [], killed: fresh, weight: 5, kills: null },
  {
    name: "resume",
    earlier: [{ start: fresh, killedAt: 0.4 }],
    killed: resume,
    weight: 4,
    kills: null,
  },
  {
    name: "resume of the end",
    earlier: [{ start: fresh, killedAt: 0.93 }],
    killed: resume,
    weight: 2,
    kills: null,
  },
  {
    name: "resume of a resume",
    earlier: [
      { start: fresh, killedAt: 0.3 },
      { start: resume, killedAt: 0.5 },
    ],
    killed: resume,
    weight: 3,
    kills: null,
  },
  {
    name: "retry of failed",
    earlier: [{ start: fresh, killedAt: null }],
    killed: retry,
    weight: 4,
    kills: null,
  },
  {
    name: "retry of a retry",
    earlier: [
      { start: fresh, killedAt: null },
      { start: retry, killedAt: 0.6 },
    ],
    killed: retry,
    weight: 3,
    kills: null,
  },
  {
    name: "extension",
    earlier: [{ start: { ...fresh, size: "small" }, killedAt: null }],
    killed: resume,
    weight: 3,
    kills: null,
  },
  { name: "any moment", earlier: [], killed: fresh, weight: 2, kills: 2 },
];

/** The same where the power fails. @type {readonly Phase[]} */
const powerCuts = killed
  .filter(({ kills }) => kills === null)
  .map((phase) => ({
    ...phase,
    name: `power: ${phase.name}`,
    weight: phase.weight / 2,
    cutsPower: true,
  }));

export const phases = [...killed, ...powerCuts];

/** 200 trials of 100 ms, killed at five moments. @type {Phase} */
export const wide = {
  name: "200 trials",
  earlier: [],
  killed: { ...fresh, size: "wide" },
  weight: 0,
  kills: 5,
};
