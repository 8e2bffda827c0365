// @ts-check
// Time to sum up, show, verify and score again a bundle. Beside it the floor: parsing the same rows as JSON, and nothing else.
//
//   node benchmarks/read-bundle.mjs [--tasks 1000] [--trials 100]
import { spawnSync } from "node:child_process";
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "1000" },
    trials: { type: "string", default: "100" },
    part: { type: "string", default: "all" },
    dir: { type: "string", default: "" },
  },
});
const taskCount = Number(values.tasks);
const trialsPerTask = Number(values.trials);

/** @type {Record<string, (dir: string) => Promise<void | Figures>>} */
const parts = { write, show, verify, rescore, floor };
const part = parts[String(values.part)];
if (part === undefined) main();
else {
  const start = performance.now();
  const ended = await part(values.dir);
  const used = process.cpuUsage();
  const figures = { ...since(start, used), ...ended };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}

function main() {
  const dir = mkdtempSync(join(tmpdir(), "assay-bench-"));
  try {
    const names = ["write", "show", "verify", "rescore", "floor"];
    const lines = names.map((name) => {
      const { seconds, cpuSeconds, peakMebibytes } = measure(name, dir);
      const time = `${seconds.toFixed(2)} s by the clock, ${cpuSeconds.toFixed(2)} s of processor`;
      const shown = name === "write" ? "summary" : name;
      return `${shown.padEnd(8)} ${time}, ${peakMebibytes.toFixed(0)} MiB at most`;
    });
    const head = `bundle   ${taskCount * trialsPerTask} trials (${taskCount} tasks), 2 metrics`;
    process.stdout.write(`${[head, ...lines].join("\n")}\n`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** @typedef {{ seconds: number, cpuSeconds: number, peakMebibytes: number }} Figures */

/** @param {number} start @param {NodeJS.CpuUsage} used @returns {Figures} */
function since(start, used) {
  return {
    seconds: (performance.now() - start) / 1000,
    cpuSeconds: (used.user + used.system) / 1e6,
    peakMebibytes: process.resourceUsage().maxRSS / 1024,
  };
}

/**
 * Each part has a process of its own.
 * @param {string} name @param {string} dir @returns {Figures}
 */
function measure(name, dir) {
  const own = [fileURLToPath(import.meta.url), "--part", name, "--dir", dir];
  const size = ["--tasks", String(taskCount), "--trials", String(trialsPerTask)];
  const child = spawnSync(process.execPath, [...own, ...size], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.status !== 0) throw new Error(`the part "${name}" ended with ${child.status}`);
  return JSON.parse(child.stdout);
}

/** Makes the bundle; what counts is its end, from the last score to the sealed summary. @param {string} dir */
async function write(dir) {
  const { AgentEvaluator } = await import("assay");
  const { exactMatch, f1 } = await import("assay/metrics");
  const { callable } = await import("assay/runners");
  const tasks = Array.from({ length: taskCount }, (_item, index) => ({
    id: `task-${index}`,
    intent: "answers the question",
    inputs: { instruction: `What is ${index} + ${42 - index}?` },
    reference: { answer: "42" },
  }));
  const reference = "{{ reference.answer }}";
  let left = taskCount * trialsPerTask * 2;
  let lastScore = { start: 0, used: process.cpuUsage() };
  await new AgentEvaluator({ scratchParent: join(dir, "scratch") }).run({
    tasks,
    metrics: [exactMatch({ reference }), f1({ reference })],
    target: callable({ name: "adder", agent: () => "42" }),
    config: {
      workDir: join(dir, "run"),
      trialsPerTask,
      onEvent: ({ type }) => {
        if (type !== "score-end") return;
        left -= 1;
        if (left === 0) lastScore = { start: performance.now(), used: process.cpuUsage() };
      },
    },
  });
  return since(lastScore.start, process.cpuUsage(lastScore.used));
}

/** Scores the trials again, by the metrics of a suite file. @param {string} dir */
async function rescore(dir) {
  const { AgentEvaluator, loadSuite } = await import("assay");
  const file = join(dir, "again.eval.mjs");
  writeFileSync(file, suiteText());
  const evaluator = new AgentEvaluator({ scratchParent: join(dir, "scratch") });
  await evaluator.rescore(join(dir, "run"), await loadSuite(file), { workDir: join(dir, "again") });
}

function suiteText() {
  return `
import { defineSuite } from "assay";
import { exactMatch, f1 } from "assay/metrics";
import { callable } from "assay/runners";

const reference = "{{ reference.answer }}";
export default defineSuite({
  name: "bench",
  tasks: Array.from({ length: ${taskCount} }, (_item, index) => ({
    id: \`task-\${index}\`,
    intent: "answers the question",
    inputs: { instruction: \`What is \${index} + \${42 - index}?\` },
    reference: { answer: "42" },
  })),
  metrics: [exactMatch({ reference }), f1({ reference })],
  target: callable({ name: "adder", agent: () => "42" }),
});
`;
}

/** As the command does it: of more than ten scores it shows none by itself. @param {string} dir */
async function show(dir) {
  const { readBundle } = await import("assay");
  const bundle = await readBundle(join(dir, "run"));
  await bundle.formatSummary({ hasPreview: false });
}

/** @param {string} dir */
async function verify(dir) {
  const { verifyBundle } = await import("assay/bundle");
  const { verdict, problems } = await verifyBundle(join(dir, "run"));
  if (verdict !== "verified") throw new Error(`it is ${verdict}: ${problems[0]?.message}`);
}

/** @param {string} dir */
async function floor(dir) {
  JSON.parse(readFileSync(join(dir, "run/summary.json"), "utf8"));
  for (const name of ["tasks.jsonl", "trials.jsonl", "scores.jsonl"]) {
    const input = createReadStream(join(dir, "run", name));
    for await (const line of createInterface({ input })) JSON.parse(line);
  }
}
