// @ts-check
// Overhead and memory of a whole run: callable trials that return at once, two metrics, a run directory, secrets to
// look for. Beside it the floor: a bare loop that serialises and appends the same bytes.
//
//   node benchmarks/run-trials.mjs [--tasks 100] [--trials 100]
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
    tasks: { type: "string", default: "100" },
    trials: { type: "string", default: "100" },
    part: { type: "string", default: "all" },
    dir: { type: "string", default: "" },
  },
});
const taskCount = Number(values.tasks);
const trialsPerTask = Number(values.trials);
const trialCount = taskCount * trialsPerTask;
/** The floor is taken from the first trials: all of a large run would not fit in memory. */
const sampleTrials = 20_000;
const journal = ["trials.jsonl", "scores.jsonl", "attempts.jsonl"];

if (values.part === "run") await measureRun(values.dir);
else if (values.part === "floor") measureFloor(values.dir);
else main();

function main() {
  const dir = mkdtempSync(join(tmpdir(), "assay-bench-"));
  try {
    const run = measure("run", dir);
    const floor = measure("floor", dir);
    const ratio = run.microseconds / floor.microseconds;
    const lines = [
      `trials           ${trialCount} (${taskCount} tasks, ${trialsPerTask} each, 2 metrics)`,
      `run              ${run.microseconds.toFixed(1)} µs per trial`,
      `floor            ${floor.microseconds.toFixed(1)} µs per trial (serialise and append the same bytes)`,
      `ratio            ${ratio.toFixed(1)}`,
      `whole run        ${(run.milliseconds / 1000).toFixed(2)} s, summary included`,
      `peak memory      ${run.peakMebibytes.toFixed(0)} MiB (started with ${run.startMebibytes.toFixed(0)})`,
    ];
    process.stdout.write(`${lines.join("\n")}\n`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/**
 * Each part has a process of its own, so that the peak is its own.
 * @param {string} part
 * @param {string} dir
 */
function measure(part, dir) {
  const args = [
    ...process.execArgv,
    fileURLToPath(import.meta.url),
    ...["--part", part, "--dir", dir, "--tasks", String(values.tasks)],
    ...["--trials", String(values.trials)],
  ];
  const child = spawnSync(process.execPath, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.status !== 0) throw new Error(`the part "${part}" ended with ${child.status}`);
  return JSON.parse(child.stdout);
}

/** @param {string} dir */
async function measureRun(dir) {
  const { AgentEvaluator } = await import("assay");
  const { exactMatch, stringCheck } = await import("assay/metrics");
  const { callable } = await import("assay/runners");
  const startMebibytes = peakMebibytes();
  const evaluator = new AgentEvaluator({
    env: { ...process.env, BENCH_API_KEY: "sk-bench-0123456789abcdef" },
    scratchParent: join(dir, "scratch"),
  });
  let endOfTrials = 0;
  let left = trialCount * 2;
  const startedAt = performance.now();
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
        if (left === 0) endOfTrials = performance.now();
      },
    },
  });
  const milliseconds = performance.now() - startedAt;
  tell({
    microseconds: ((endOfTrials - startedAt) * 1000) / trialCount,
    milliseconds,
    startMebibytes,
    peakMebibytes: peakMebibytes(),
  });
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
  const files = journal.map((name) => ({
    rows: sample(join(dir, "run", name)),
    to: openSync(join(dir, name), "w"),
  }));
  const rounds = 3;
  let milliseconds = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    for (const { rows, to } of files) append(rows, to);
    milliseconds = Math.min(milliseconds, performance.now() - startedAt);
  }
  for (const { to } of files) closeSync(to);
  tell({ microseconds: (milliseconds * 1000) / Math.min(trialCount, sampleTrials) });
}

/**
 * @param {readonly unknown[]} rows
 * @param {number} to
 */
function append(rows, to) {
  let group = "";
  for (const row of rows) {
    group += `${JSON.stringify(row)}\n`;
    if (group.length < 1024 * 1024) continue;
    writeSync(to, group);
    group = "";
  }
  writeSync(to, group);
  fsyncSync(to);
}

/**
 * The rows of the first trials, parsed.
 * @param {string} file
 */
function sample(file) {
  const perTrial = file.endsWith("scores.jsonl") ? 2 : 1;
  const bytes = Buffer.alloc(Math.min(statSync(file).size, sampleTrials * perTrial * 2000));
  const from = openSync(file, "r");
  readSync(from, bytes);
  closeSync(from);
  const lines = bytes.toString("utf8").split("\n", Math.min(trialCount, sampleTrials) * perTrial);
  return lines.map((line) => JSON.parse(line));
}

function peakMebibytes() {
  return process.resourceUsage().maxRSS / 1024;
}

/** @param {unknown} result */
function tell(result) {
  process.stdout.write(JSON.stringify(result));
}
