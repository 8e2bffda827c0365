// @ts-check
// What an agent and a reporter tell beside the bundle: which trials were begun, and which were reported as done. Lines
// are appended and synced, so that the log knows more than what is judged by it.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

/**
 * @typedef {{ what: "start", resume: boolean, retryFailed: boolean }
 *   | { what: "executed", trial: string }
 *   | { what: "reported", trial: string, status: string }
 *   | { what: "killed" }} LogLine
 */

/** @param {string} file @param {LogLine} line */
export function log(file, line) {
  const handle = openSync(file, "a");
  writeSync(handle, `${JSON.stringify(line)}\n`);
  fsyncSync(handle);
  closeSync(handle);
}

/** @param {string} file @returns {LogLine[]} */
export function readLog(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line));
}

/**
 * Trials that were begun again although they had been reported, or were not under way at a kill.
 * @param {readonly LogLine[]} lines @returns {string[]}
 */
export function executedTwice(lines) {
  /** @type {Map<string, string>} */
  const states = new Map();
  /** @type {string[]} */
  const twice = [];
  let retriesFailed = false;
  for (const line of lines) {
    if (line.what === "start") {
      retriesFailed = line.retryFailed;
      // A failed trial may be done again once by each start that was asked to.
      for (const [trial, state] of states)
        if (state === "failed" && retriesFailed) states.delete(trial);
    } else if (line.what === "killed") {
      for (const [trial, state] of states) if (state === "under way") states.delete(trial);
    } else if (line.what === "reported") states.set(line.trial, line.status);
    else {
      if (states.has(line.trial)) twice.push(`${line.trial} (${states.get(line.trial)})`);
      states.set(line.trial, "under way");
    }
  }
  return twice;
}

/**
 * The last status that was reported of each trial; null when it was begun again since.
 * @param {readonly LogLine[]} lines @returns {Map<string, string | null>}
 */
export function reported(lines) {
  /** @type {Map<string, string | null>} */
  const last = new Map();
  for (const line of lines) {
    if (line.what === "reported") last.set(line.trial, line.status);
    else if (line.what === "executed" && last.has(line.trial)) last.set(line.trial, null);
  }
  return last;
}
