// @ts-check
// Overhead and memory of a whole run: callable trials that return at once, two metrics, a run directory, secrets to
// look for, with the heap as `assay run` keeps it. Beside it the floor: a bare loop that serialises and appends the same
// bytes, trial by trial.
//
//   node benchmarks/run-trials.mjs            10,000 and 100,000 trials
//   node benchmarks/run-trials.mjs --large    also 1,000,000, as 1,000 tasks and as 100,000 tasks: many minutes
//   node benchmarks/run-trials.mjs --tasks 100 --trials 100
//
// Compare processor time, and the ratio before anything else: the clock tells how busy the machine was as well.
import { spawnSync } from "node:child_process";
import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    tasks: { type: "string" },
    trials: { type: "string" },
    large: { type: "boolean", default: false },
    part: { type: "string", default: "all" },
    dir: { type: "string", default: "" },
  },
});
const taskCount = Number(values.tasks ?? 100);
const trialsPerTask = Number(values.trials ?? 100);
const trialCount = taskCount * trialsPerTask;
/** The floor is taken from the first trials: all of a large run would not fit in memory. */
const sampleTrials = 20_000;
const floorRounds = 5;
/** A smaller run is measured several times, and that with the middle ratio is told. */
const repeatedTrials = 200_000;
const repeats = 3;
/** How many rows of each file a trial has: two metrics score it. */
const rowsOfTrial = { "attempts.jsonl": 1, "trials.jsonl": 1, "scores.jsonl": 2 };

if (values.part === "run") await measureRun(values.dir);
else if (values.part === "floor") measureFloor(values.dir);
else main();

function main() {
  const isOneSize = values.tasks !== undefined || values.trials !== undefined;
  const usual = [
    { tasks: 100, trials: 100 },
    { tasks: 1000, trials: 100 },
  ];
  const large = [
    { tasks: 1000, trials: 1000 },
    { tasks: 100_000, trials: 10 },
  ];
  const sizes = isOneSize
    ? [{ tasks: taskCount, trials: trialsPerTask }]
    : [...usual, ...(values.large ? large : [])];
  tell(
    "Trials that return at once, 2 metrics each, run directory and redaction on. Microseconds are of processor time\n" +
      "per trial; the ratio is that of the run and the floor; what the clock says stands in brackets.\n\n",
  );
  tell(line(["tasks", "each", "trials", "run µs", "floor µs", "ratio", "whole run", "peak MiB"]));
  const measured = sizes.map((size) => {
    const middle = measureSize(size);
    tell(line(cellsOf(size, middle)));
    return { ...size, ...middle };
  });
  for (const growth of growths(measured)) tell(growth);
}

/**
 * @typedef {{ cpu: number, wall: number }} Spent
 * @typedef {Spent & { wholeCpu: number, wholeWall: number, startMebibytes: number, peakMebibytes: number }} Run
 * @typedef {{ tasks: number, trials: number }} Size
 */

/** @param {Size} size */
function measureSize(size) {
  const times = size.tasks * size.trials <= repeatedTrials ? repeats : 1;
  const measured = Array.from({ length: times }, () => measureOnce(size));
  return middleOf(measured, ({ ratio }) => ratio);
}

/**
 * What a trial costs when the run has started and its code is compiled: what the larger of two runs took beyond the
 * smaller one, for each of the trials that it has more. The plan's share grows with tasks, so that runs are compared
 * only where a task has at least as many trials.
 * @param {readonly (Size & { run: Spent, floor: Spent })[]} measured
 */
function growths(measured) {
  return measured.slice(1).flatMap((larger, index) => {
    const smaller = measured[index];
    if (smaller === undefined || larger.trials < smaller.trials) return [];
    const [few, many] = [smaller.tasks * smaller.trials, larger.tasks * larger.trials];
    const each = (larger.run.cpu * many - smaller.run.cpu * few) / (many - few);
    const { cpu: floor } = larger.floor;
    return `each further trial, from ${few} to ${many}: ${each.toFixed(1)} µs, ${(each / floor).toFixed(1)} times the floor\n`;
  });
}

/**
 * @param {Size} size
 * @param {{ run: Run, floor: Spent }} middle
 */
function cellsOf(size, { run, floor }) {
  return [
    String(size.tasks),
    String(size.trials),
    String(size.tasks * size.trials),
    `${run.cpu.toFixed(1)} (${run.wall.toFixed(1)})`,
    `${floor.cpu.toFixed(1)} (${floor.wall.toFixed(1)})`,
    `${(run.cpu / floor.cpu).toFixed(1)} (${(run.wall / floor.wall).toFixed(1)})`,
    `${(run.wholeCpu / 1e6).toFixed(1)} s (${(run.wholeWall / 1e6).toFixed(1)} s)`,
    `${run.peakMebibytes.toFixed(0)} (${run.startMebibytes.toFixed(0)} at its start)`,
  ];
}

/**
 * @param {Size} size
 * @returns {{ run: Run, floor: Spent, ratio: number }}
 */
function measureOnce({ tasks: taskTotal, trials }) {
  const dir = mkdtempSync(join(tmpdir(), "assay-bench-"));
  try {
    const args = ["--dir", dir, "--tasks", String(taskTotal), "--trials", String(trials)];
    const run = measure("run", args);
    const floor = measure("floor", args);
    return { run, floor, ratio: run.cpu / floor.cpu };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** @param {readonly string[]} cells */
function line(cells) {
  const widths = [7, 5, 8, 16, 14, 11, 20, 0];
  return `${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ")}\n`;
}

/**
 * Each part has a process of its own, so that the peak is its own.
 * @param {string} part
 * @param {readonly string[]} args
 */
function measure(part, args) {
  const child = spawnSync(
    process.execPath,
    [...process.execArgv, fileURLToPath(import.meta.url), "--part", part, ...args],
    { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] },
  );
  if (child.status !== 0) throw new Error(`the part "${part}" ended with ${child.status}`);
  return JSON.parse(child.stdout);
}

/** @param {string} dir */
async function measureRun(dir) {
  const { AgentEvaluator } = await import("assay");
  const { exactMatch, stringCheck } = await import("assay/metrics");
  const { callable } = await import("assay/runners");
  const { keepHeapSmall } = await import(
    new URL("../packages/assay/dist/cli/heap.js", import.meta.url).href
  );
  keepHeapSmall();
  const startMebibytes = peakMebibytes();
  const evaluator = new AgentEvaluator({
    env: { ...process.env, BENCH_API_KEY: "sk-bench-0123456789abcdef" },
    scratchParent: join(dir, "scratch"),
  });
  const watch = stopwatch();
  /** @type {{ cpu: number, wall: number } | null} */
  let trials = null;
  let left = trialCount * 2;
  await evaluator.run({
    tasks: tasks(),
    metrics: [
      exactMatch({ reference: "{{ item.reference.answer }}" }),
      stringCheck({
        leftTemplate: "{{ sample.output_text }}",
        operation: "contains",
        rightTemplate: "4",
      }),
    ],
    target: callable({ name: "adder", agent: () => "42" }),
    config: {
      workDir: join(dir, "run"),
      trialsPerTask,
      secrets: ["BENCH_API_KEY"],
      onEvent: ({ type }) => {
        if (type !== "score-end") return;
        left -= 1;
        if (left === 0) trials = watch();
      },
    },
  });
  const whole = watch();
  const result = {
    ...perTrial(trials ?? whole, trialCount),
    wholeCpu: whole.cpu,
    wholeWall: whole.wall,
    startMebibytes,
    peakMebibytes: peakMebibytes(),
  };
  tell(JSON.stringify(result));
}

function* tasks() {
  for (let index = 0; index < taskCount; index += 1) {
    yield {
      id: `task-${index}`,
      intent: "answers the question",
      inputs: { instruction: `What is ${index} + ${42 - index}?` },
      reference: { answer: "42" },
    };
  }
}

/** @param {string} dir */
function measureFloor(dir) {
  const trials = rowsByTrial(join(dir, "run"));
  const rounds = Array.from({ length: floorRounds }, () => appendAll(trials, join(dir, "floor")));
  tell(
    JSON.stringify(
      perTrial(
        middleOf(rounds, ({ cpu }) => cpu),
        trials.length,
      ),
    ),
  );
}

/**
 * The bare loop: of each trial its rows are serialised and appended with one write, as the simplest program does that
 * loses no trial when it dies.
 * @param {readonly (readonly unknown[])[]} trials
 * @param {string} file
 */
function appendAll(trials, file) {
  const to = openSync(file, "w");
  const watch = stopwatch();
  for (const rows of trials) {
    let text = "";
    for (const row of rows) text += `${JSON.stringify(row)}\n`;
    writeSync(to, text);
  }
  fsyncSync(to);
  const spent = watch();
  closeSync(to);
  return spent;
}

/**
 * Of the first trials the rows, parsed.
 * @param {string} runDir
 */
function rowsByTrial(runDir) {
  const files = Object.entries(rowsOfTrial).map(([name, each]) => ({
    each,
    rows: sample(join(runDir, name), each),
  }));
  const count = Math.min(trialCount, sampleTrials);
  return Array.from({ length: count }, (_, trial) =>
    files.flatMap(({ each, rows }) => rows.slice(trial * each, (trial + 1) * each)),
  );
}

/**
 * @param {string} file
 * @param {number} each
 */
function sample(file, each) {
  const count = Math.min(trialCount, sampleTrials) * each;
  const bytes = Buffer.alloc(Math.min(statSync(file).size, count * 2000));
  const from = openSync(file, "r");
  readSync(from, bytes);
  closeSync(from);
  const lines = bytes.toString("utf8").split("\n", count);
  return lines.map((line) => JSON.parse(line));
}

/**
 * @template T
 * @param {readonly T[]} values
 * @param {(value: T) => number} by
 */
function middleOf(values, by) {
  const middle = values.toSorted((a, b) => by(a) - by(b))[Math.floor(values.length / 2)];
  if (middle === undefined) throw new Error("nothing was measured");
  return middle;
}

/** Microseconds since now, of the processor and by the clock: on a busy machine only the first can be compared. */
function stopwatch() {
  const cpuBefore = process.cpuUsage();
  const wallBefore = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpuBefore);
    return { cpu: user + system, wall: (performance.now() - wallBefore) * 1000 };
  };
}

/**
 * @param {{ cpu: number, wall: number }} spent
 * @param {number} count
 */
function perTrial({ cpu, wall }, count) {
  return { cpu: cpu / count, wall: wall / count };
}

function peakMebibytes() {
  return process.resourceUsage().maxRSS / 1024;
}

/** @param {string} text */
function tell(text) {
  process.stdout.write(text);
}
