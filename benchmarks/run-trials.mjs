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
    const ratio = run.cpu / floor.cpu;
    const lines = [
      `trials           ${trialCount} (${taskCount} tasks, ${trialsPerTask} each, 2 metrics)`,
      `run              ${run.cpu.toFixed(1)} µs of processor per trial, ${run.wall.toFixed(1)} µs by the clock`,
      `floor            ${floor.cpu.toFixed(1)} µs of processor per trial, ${floor.wall.toFixed(1)} µs by the clock`,
      `ratio            ${ratio.toFixed(1)}, of processor time`,
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
  tell({
    ...perTrial(trials ?? watch(), trialCount),
    milliseconds: watch().wall / 1000,
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
  const watch = stopwatch();
  for (const { rows, to } of files) append(rows, to);
  tell(perTrial(watch(), Math.min(trialCount, sampleTrials)));
  for (const { to } of files) closeSync(to);
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
  const rowsOfTrial = file.endsWith("scores.jsonl") ? 2 : 1;
  const bytes = Buffer.alloc(Math.min(statSync(file).size, sampleTrials * rowsOfTrial * 2000));
  const from = openSync(file, "r");
  readSync(from, bytes);
  closeSync(from);
  const lines = bytes
    .toString("utf8")
    .split("\n", Math.min(trialCount, sampleTrials) * rowsOfTrial);
  return lines.map((line) => JSON.parse(line));
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

/** @param {unknown} result */
function tell(result) {
  process.stdout.write(JSON.stringify(result));
}
