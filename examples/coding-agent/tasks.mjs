// @ts-check
/**
 * The coding tasks. Each has a folder in `fixtures/`: `instruction.md` and `files/` are what the agent gets, `held-out/`
 * is laid over a copy of its finished workspace to judge it (see coding.eval.ts), `agent/` holds what the scripted agent writes.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const fixturesDir = fileURLToPath(new URL("./fixtures/", import.meta.url));

const intents = {
  slugify: "Slugs are safe, and accented letters keep their base letter.",
  "merge-bookings": "The missing function is written as its doc comment says.",
  "csv-row": "Quoted fields are read as RFC 4180 says.",
  "rate-limiter": "The window slides, with the right border, and refused requests do not count.",
  "split-bill": "The parts are fair whole cents that add up to the amount.",
  "lru-cache": "The least recently used entry goes first.",
  "merge-settings": "Settings are merged and no prototype can be reached.",
};

/** @typedef {keyof typeof intents} TaskId */

export const taskIds = /** @type {TaskId[]} */ (Object.keys(intents));

/** @param {TaskId} id */
export function loadTask(id) {
  const instruction = readFileSync(join(fixturesDir, id, "instruction.md"), "utf8");
  return { id, intent: intents[id], inputs: { instruction, files: readFolder(id, "files") } };
}

/**
 * The first line of the task's instruction, by which the scripted server knows the task.
 *
 * @param {TaskId} id
 */
export function readTitle(id) {
  const [heading = ""] = loadTask(id).inputs.instruction.split("\n", 1);
  return heading.replace(/^# /, "");
}

/**
 * What the scripted agent writes in one of its solutions.
 *
 * @param {TaskId} id
 * @param {string} solution
 */
export function loadSolution(id, solution) {
  return readFolder(id, join("agent", solution));
}

/**
 * @param {TaskId} id
 * @param {string} folder
 * @returns {Record<string, string>} text by file name
 */
function readFolder(id, folder) {
  const path = join(fixturesDir, id, folder);
  const names = readdirSync(path).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(path, name), "utf8")]));
}
