// @ts-check
/**
 * What the scripted agent does on each task. Two trials of each task show: clean passes, a pass beside a failure, a
 * confident wrong answer, a trial that runs into its time limit, and two faults of the infrastructure that a second
 * attempt gets over.
 *
 * @typedef {import("./tasks.mjs").TaskId} TaskId
 * @typedef {import("./script-player.mjs").Script} Script
 * @typedef {import("./script-player.mjs").Step} Step
 */

import { loadSolution, loadTask, readTitle } from "./tasks.mjs";

/** @type {Script[]} */
export const scripts = [
  script("slugify", [
    ...solve("slugify", "right"),
    say("`slugify` now folds accents, joins words by single dashes and falls back to `untitled`."),
  ]),
  script("merge-bookings", [
    ...solve("merge-bookings", "right"),
    say(
      "`mergeBookings` sorts a copy, leaves out empty bookings and joins what overlaps or touches.",
    ),
  ]),
  script("csv-row", [
    { status: 429, message: "Rate limit reached, try again later.", times: 1 },
    ...solve("csv-row", "right"),
    say("`parseRow` reads quoted fields, and names the column of a quote that is never closed."),
  ]),
  script(
    "rate-limiter",
    [
      ...solve("rate-limiter", "right"),
      say("The limiter keeps the times of the requests it let through and counts the recent ones."),
    ],
    [
      ...solve("rate-limiter", "wrong"),
      say("The limiter now slides its window over the recent requests. All tests pass."),
    ],
  ),
  script("split-bill", [
    ...solve("split-bill", "wrong"),
    say("The parts are rounded down and the last person pays the rest, so the sum is exact."),
  ]),
  script(
    "lru-cache",
    [
      ...solve("lru-cache", "right"),
      say("Reading and overwriting now move an entry to the end of the order."),
    ],
    [...solve("lru-cache", "half"), { silence: true }],
  ),
  script("merge-settings", [
    ...solve("merge-settings", "right"),
    { cut: true, times: 1 },
    say("`mergeSettings` builds a new object, merges plain objects only and drops unsafe keys."),
  ]),
];

/**
 * @param {TaskId} id
 * @param {...Step[]} takes
 * @returns {Script}
 */
function script(id, ...takes) {
  return { title: readTitle(id), takes };
}

/**
 * Reads the files, sees the tests fail, edits, and runs the tests again.
 *
 * @param {TaskId} id
 * @param {string} solution
 * @returns {Step[]}
 */
function solve(id, solution) {
  const names = Object.keys(loadTask(id).inputs.files);
  // Not `node --test`: the sandbox of the Codex CLI keeps a test process from reporting to its parent.
  const runTests = { run: `node ${names.find((name) => name.endsWith(".test.mjs"))}` };
  return [{ run: `cat ${names.join(" ")}` }, runTests, edit(id, solution), runTests];
}

/**
 * @param {TaskId} id
 * @param {string} solution
 * @returns {Step}
 */
function edit(id, solution) {
  const before = loadTask(id).inputs.files;
  const hunks = Object.entries(loadSolution(id, solution)).flatMap(([name, after]) => [
    `*** Update File: ${name}`,
    "@@",
    ...markLines("-", before[name] ?? ""),
    ...markLines("+", after),
  ]);
  const patch = ["*** Begin Patch", ...hunks, "*** End Patch"].join("\n");
  return { run: `apply_patch <<'PATCH'\n${patch}\nPATCH` };
}

/**
 * @param {"-" | "+"} mark
 * @param {string} text
 */
function markLines(mark, text) {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `${mark}${line}`);
}

/**
 * @param {string} text
 * @returns {Step}
 */
function say(text) {
  return { say: text };
}
