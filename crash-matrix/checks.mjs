// @ts-check
// What must hold after any kill, and what must hold once the run was resumed to its end.
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readBundle } from "assay";

import { executedTwice, readLog, reported } from "./execution-log.mjs";
import { expectedRows, indexOf } from "./workloads.mjs";

/**
 * Faults of one point, a sentence each.
 * @typedef {{ lost: string[], twice: string[], unreadable: string[], other: string[] }} Faults
 * @typedef {ReturnType<typeof import("./workloads.mjs").placeOf>} Place
 */

/** @returns {Faults} */
export function noFaults() {
  return { lost: [], twice: [], unreadable: [], other: [] };
}

/** What was reported can be read from the files as the kill left them. @param {Place} place @param {Faults} faults */
export function checkKilled(place, faults) {
  const done = reported(readLog(place.log));
  if (done.size === 0) return;
  try {
    JSON.parse(readFileSync(join(place.run, "run.json"), "utf8"));
  } catch (thrown) {
    faults.unreadable.push(`run.json: ${thrown}`);
  }
  const there = new Set(wholeRows(place, "trials.jsonl").map(trialOf));
  for (const trial of done.keys())
    if (!there.has(trial)) faults.lost.push(`${trial} was reported, and is not on disk`);
}

/**
 * @param {Place} place
 * @param {import("./workloads.mjs").Start} start the last one
 * @param {string} undisturbed the summary of a run that nobody killed
 * @param {Faults} faults
 */
export async function checkEnded(place, start, undisturbed, faults) {
  const lines = readLog(place.log);
  faults.twice.push(...executedTwice(lines));
  checkRows(place, start, reported(lines), faults);
  checkLedger(place, faults);
  checkFiles(place, faults);
  if (readFileSync(join(place.run, "summary.json"), "utf8") !== undisturbed)
    faults.other.push("summary.json differs from that of an undisturbed run");
  try {
    const bundle = await readBundle(place.run);
    await bundle.assertUnaltered({ withEvidence: true });
    if (bundle.status !== "completed") faults.other.push(`its status is ${bundle.status}`);
    const trials = await bundle.trials.toArray();
    const scores = await bundle.scores.toArray();
    const expected = expectedRows(start);
    if (trials.length !== expected.trials || scores.length !== expected.scores)
      faults.unreadable.push(`${trials.length} trials, ${scores.length} scores can be read`);
  } catch (thrown) {
    faults.unreadable.push(String(thrown));
  }
}

/** @param {Place} place @param {import("./workloads.mjs").Start} start @param {Map<string, string | null>} done @param {Faults} faults */
function checkRows(place, start, done, faults) {
  const expected = expectedRows(start);
  const trials = countOf(wholeRows(place, "trials.jsonl").map(trialOf));
  const scores = countOf(
    wholeRows(place, "scores.jsonl").map((row) => `${trialOf(row)} ${row.metric_type}`),
  );
  for (const [name, count] of [...trials, ...scores])
    if (count > 1) faults.twice.push(`${name} has ${count} rows`);
  if (trials.size !== expected.trials)
    faults.lost.push(`${expected.trials - trials.size} trials have no row`);
  if (scores.size !== expected.scores)
    faults.lost.push(`${expected.scores - scores.size} scores have no row`);
  const statuses = new Map(
    wholeRows(place, "trials.jsonl").map((row) => [trialOf(row), row.status]),
  );
  for (const [trial, status] of done)
    if (status !== null && statuses.get(trial) !== status)
      faults.lost.push(`${trial} was reported as ${status}, and is ${statuses.get(trial)}`);
}

/** What each trial that counts has cost is in the ledger once, and the sums are those of the ledger. @param {Place} place @param {Faults} faults */
function checkLedger(place, faults) {
  const attempts = wholeRows(place, "attempts.jsonl");
  const places = countOf(
    attempts.map((row) => `${row.task_id}#${row.trial_index}.${row.attempt_index}`),
  );
  for (const [name, count] of places)
    if (count > 1) faults.twice.push(`attempt ${name} has ${count} rows`);
  for (const trial of wholeRows(place, "trials.jsonl")) {
    const own = attempts.filter((row) => trialOf(trial) === `${row.task_id}#${row.trial_index}`);
    const tokens = trial.measurements.prompt_tokens;
    if (!own.some((row) => row.prompt_tokens === tokens))
      faults.lost.push(`the ledger lacks the attempt of ${trialOf(trial)} that counts`);
  }
  const { predicate } = JSON.parse(readFileSync(join(place.run, "provenance.json"), "utf8"));
  const sum = attempts.reduce((total, row) => total + (row.prompt_tokens ?? 0), 0);
  if (predicate.usage.attempts !== attempts.length || predicate.usage.prompt_tokens !== sum)
    faults.other.push(`usage ${JSON.stringify(predicate.usage)} is not the sum of the ledger`);
}

const bundleNames = [
  ...["run.json", "plan.json", "metadata.json", "tasks.jsonl", "trials.jsonl", "scores.jsonl"],
  ...["summary.json", "attempts.jsonl", "evidence.jsonl", "provenance.json", "evidence"],
];

/** Nothing is left but the bundle, and each file of evidence has its row. @param {Place} place @param {Faults} faults */
function checkFiles(place, faults) {
  for (const name of readdirSync(place.run))
    if (!bundleNames.includes(name)) faults.other.push(`${name} is left in the run directory`);
  // A root without a marker is empty; it goes a minute later, when the next one is made.
  const left = (existsSync(place.scratch) ? readdirSync(place.scratch) : []).filter((name) =>
    existsSync(join(place.scratch, name, "assay-scratch.json")),
  );
  if (left.length > 0) faults.other.push(`scratch is left: ${left.join(", ")}`);
  const stored = filesBelow(place.run, "evidence").sort().join("\n");
  const listed = wholeRows(place, "evidence.jsonl").map(({ path }) => path);
  if (stored !== listed.sort().join("\n"))
    faults.other.push(
      `evidence.jsonl lists ${listed.length} files, and these are there:\n${stored}`,
    );
}

/** @param {string} root @param {string} folder @returns {string[]} */
function filesBelow(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name}`)
    .filter((name) => !lstatSync(join(root, name)).isDirectory());
}

/** Rows with their newline: what comes behind the last one is no row. @param {Place} place @param {string} name @returns {any[]} */
function wholeRows(place, name) {
  const file = join(place.run, name);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

/** @param {any} row of a trial or a score */
function trialOf(row) {
  return `${row.task_id}#${indexOf(row.trial_id ?? row.id)}`;
}

/** @param {readonly string[]} names @returns {Map<string, number>} */
function countOf(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
