// @ts-check
// One point of a phase from its first start to its last: what comes before is made once and copied.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cleanScratch } from "assay";

import { checkEnded, checkKilled, noFaults } from "./checks.mjs";
import { readLog } from "./execution-log.mjs";
import { startFor, startUntil } from "./processes.mjs";
import { placeOf, runStart } from "./workloads.mjs";

/** @typedef {import("./phases.mjs").Phase} Phase */
/** @typedef {ReturnType<typeof placeOf>} Place */

/**
 * @typedef {object} Prepared
 * @property {Phase} phase
 * @property {string} base where a run lies as the starts before left it
 * @property {string} undisturbed the summary of the same course without a kill
 * @property {number} pointCount kill points of the start that is killed
 * @property {number} durationMs of that start
 */

/** @param {Phase} phase @param {string} dir @returns {Promise<Prepared>} */
export async function prepare(phase, dir) {
  const base = join(dir, "base");
  mkdirSync(base, { recursive: true });
  for (const [index, { start, killedAt }] of phase.earlier.entries()) {
    if (killedAt === null) await mustEnd(placeOf(base), start);
    else {
      const measured = await trial(base, join(dir, `measured-${index}`), start);
      const point = Math.round(measured.pointCount * killedAt);
      await startUntil(placeOf(base), start, { point });
    }
  }
  const reference = join(dir, "undisturbed");
  mkdirSync(reference);
  const starts = phase.earlier.filter(({ killedAt }) => killedAt === null);
  for (const { start } of starts) await mustEnd(placeOf(reference), start);
  await mustEnd(placeOf(reference), phase.killed);
  const undisturbed = readFileSync(join(placeOf(reference).run, "summary.json"), "utf8");
  return { phase, base, undisturbed, ...(await trial(base, join(dir, "measured"), phase.killed)) };
}

/** What the start of a copy takes that nobody kills. @param {string} base @param {string} dir @param {Phase["killed"]} start */
async function trial(base, dir, start) {
  cpSync(base, dir, { recursive: true });
  const { note, stderr, exitCode, durationMs } = await startUntil(placeOf(dir), start, {
    point: 0,
  });
  if (exitCode !== 0) throw new Error(`a start that nobody killed failed: ${stderr}`);
  return { pointCount: Number(note), durationMs };
}

/** @param {Place} place @param {Phase["killed"]} start */
async function mustEnd(place, start) {
  // A start without a first run is one: the course without its kill has nothing to go on with.
  const isFirst = !existsSync(place.run);
  await runStart(place, isFirst ? { ...start, resume: false, retryFailed: false } : start);
}

/**
 * Kills one start, or several, resumes until the run has ended, and checks.
 * @param {Prepared} prepared @param {string} dir @param {{ point: number, random: () => number }} at
 */
export async function runPoint(prepared, dir, { point, random }) {
  const { phase } = prepared;
  cpSync(prepared.base, dir, { recursive: true });
  const place = placeOf(dir);
  const faults = noFaults();
  const notes = [];
  let killCount = 0;
  for (let kill = 0; kill < (phase.kills ?? 1); kill += 1) {
    const ended =
      phase.kills === null
        ? await killAtPoint(prepared, place, point)
        : await startFor(place, continued(place, phase.killed), momentIn(prepared, random));
    notes.push(ended.note);
    if (ended.isKilled) killCount += 1;
    else if (ended.exitCode !== 0)
      faults.other.push(`the start that was to be killed: ${ended.stderr}`);
    checkKilled(place, faults);
  }
  await resumeToEnd(prepared, place, faults);
  return { place, faults, killCount, note: notes.join("; ") };
}

const mostStarts = 6;

/**
 * How many rows share a write is a matter of time, so that a start may end before a point that the measured one had: it is
 * made anew, and killed at the same part of its own points.
 * @param {Prepared} prepared @param {Place} place @param {number} point
 */
async function killAtPoint({ phase, base, pointCount }, place, point) {
  const part = Math.min(1, point / pointCount);
  let at = point;
  for (let starts = 1; ; starts += 1) {
    const start = continued(place, phase.killed);
    const ended = await startUntil(place, start, {
      point: at,
      cutsPower: phase.cutsPower === true,
    });
    if (ended.isKilled || ended.exitCode !== 0) return ended;
    const passed = Number(ended.note);
    if (starts === mostStarts)
      return { ...ended, note: `no kill: the last of ${starts} starts ended at point ${passed}` };
    at = Math.max(1, Math.floor(passed * part));
    rmSync(place.root, { recursive: true });
    cpSync(base, place.root, { recursive: true });
  }
}

/** @param {Prepared} prepared @param {() => number} random */
function momentIn({ phase, durationMs }, random) {
  return (random() * durationMs) / (phase.kills === 2 ? 1 : (phase.kills ?? 1));
}

/** @param {Prepared} prepared @param {Place} place @param {import("./checks.mjs").Faults} faults */
async function resumeToEnd({ phase, undisturbed }, place, faults) {
  const start = continued(place, phase.killed);
  try {
    await runStart(place, start);
    // A run that is begun anew knows nothing of the one before: what that left is for `assay clean`.
    if (hasBegunAnew(place)) await cleanScratch({ scratchParent: place.scratch });
    await checkEnded(place, start, undisturbed, faults);
  } catch (thrown) {
    faults.lost.push(`it cannot be resumed: ${thrown}`);
  }
}

/** @param {Place} place */
function hasBegunAnew({ log }) {
  return readLog(log).filter((line) => line.what === "start" && !line.resume).length > 1;
}

/**
 * The same start as one that goes on with what is there. A run that was killed before its plan was on disk has run
 * nothing: it is begun anew.
 * @param {Place} place @param {Phase["killed"]} start
 */
function continued(place, start) {
  if (existsSync(join(place.run, "plan.json"))) return { ...start, resume: true };
  const isUntouched = readLog(place.log).every(({ what }) => what === "start" || what === "killed");
  if (isUntouched && existsSync(join(place.run, "run.json")))
    rmSync(place.run, { recursive: true, force: true });
  return { ...start, resume: false };
}
