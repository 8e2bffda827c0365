// @ts-check
// A case that does nothing, with two checks, in Assay, promptfoo and evalite, each by its own command. What starting takes
// is left out: a case costs the difference of a large suite and a small one. The others are installed into .cache/peers,
// with their install scripts, and are no dependency of anything here.
//
//   node benchmarks/peers/main.mjs [--node PATH of what runs promptfoo] [--small 200] [--large 1200]
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const versions = { promptfoo: "0.123.1", evalite: "0.19.0", vitest: "3.2.4" };
const { values } = parseArgs({
  options: {
    /** promptfoo asks for Node 22.22 or later. */
    node: { type: "string", default: process.execPath },
    small: { type: "string", default: "200" },
    large: { type: "string", default: "1200" },
    dir: { type: "string", default: fileURLToPath(new URL("../../.cache/peers", import.meta.url)) },
  },
});
const { dir } = values;
const sizes = [Number(values.small), Number(values.large)];
const assay = fileURLToPath(new URL("../../packages/assay/bin/assay.js", import.meta.url));
const inPeers = (/** @type {string} */ path) => join(dir, "node_modules", path);
const binOf = (/** @type {"promptfoo" | "evalite"} */ name) => {
  const { bin } = JSON.parse(readFileSync(inPeers(`${name}/package.json`), "utf8"));
  return inPeers(join(name, typeof bin === "string" ? bin : bin[name]));
};

const quiet = {
  PROMPTFOO_DISABLE_TELEMETRY: "1",
  PROMPTFOO_DISABLE_UPDATE: "1",
  PROMPTFOO_DISABLE_REMOTE_GENERATION: "1",
};

const promptfooProvider = `
export default class Noop {
  id() { return "noop"; }
  async callApi() { return { output: "42" }; }
}
`;

const checks = [
  { type: "equals", value: "42" },
  { type: "contains", value: "4" },
];
/** @type {readonly { name: string, write: (at: string, count: number) => readonly string[] }[]} */
const tools = [
  {
    name: "assay",
    write: (at, count) => {
      writeFileSync(join(at, "noop.eval.mjs"), assaySuite(count));
      return [assay, "run", "noop.eval.mjs", "--out", "run", "--quiet"];
    },
  },
  {
    name: `promptfoo ${versions.promptfoo}`,
    write: (at, count) => {
      const tests = questions(count).map((q) => ({ vars: { q }, assert: checks }));
      writeFileSync(join(at, "provider.mjs"), promptfooProvider);
      const config = { prompts: ["{{q}}"], providers: ["file://provider.mjs"], tests };
      writeFileSync(join(at, "config.json"), JSON.stringify(config));
      return [
        binOf("promptfoo"),
        "eval",
        "-c",
        "config.json",
        "--no-cache",
        "--no-table",
        "--no-progress-bar",
      ];
    },
  },
  {
    name: `evalite ${versions.evalite}`,
    write: (at, count) => {
      writeFileSync(join(at, "noop.eval.ts"), evaliteSuite(count));
      return [binOf("evalite"), "run"];
    },
  },
];

install();
process.stdout.write(`a case that does nothing, with two checks: ${sizes.join(" and ")} cases\n`);
process.stdout.write(
  `load ${loadavg()
    .map((one) => one.toFixed(1))
    .join(" ")}\n`,
);
process.stdout.write(
  row(["", "µs of processor per case", "µs by the clock", "s to start (clock)"]),
);
for (const { name, write } of tools) {
  const [small, large] = sizes.map((count) => run(name, count, write));
  if (small === undefined || large === undefined) continue;
  const cases = Number(sizes[1]) - Number(sizes[0]);
  const perCase = (/** @type {"cpu" | "wall"} */ kind) => (large[kind] - small[kind]) / cases;
  const start = (small.wall - perCase("wall") * Number(sizes[0])) / 1e6;
  process.stdout.write(
    row([name, perCase("cpu").toFixed(0), perCase("wall").toFixed(0), start.toFixed(1)]),
  );
}

function install() {
  if (existsSync(inPeers("evalite"))) return;
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
  const args = ["install", ...packages, "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", args, { cwd: dir, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`npm install ended with ${status}`);
}

/** Microseconds, with all processes that the command starts. @param {string} name @param {number} count @param {(at: string, count: number) => readonly string[]} write */
function run(name, count, write) {
  const at = join(dir, "suites", `${name.split(" ")[0]}-${count}`);
  rmSync(at, { recursive: true, force: true });
  mkdirSync(at, { recursive: true });
  const args = write(at, count);
  const timed = [
    "-c",
    'TIMEFORMAT="%R %U %S"; time "$@" >out.txt 2>err.txt',
    "timed",
    name.startsWith("promptfoo") ? values.node : process.execPath,
    ...args,
  ];
  const child = spawnSync("bash", timed, {
    cwd: at,
    encoding: "utf8",
    env: { ...process.env, ...quiet, PROMPTFOO_CONFIG_DIR: join(at, ".promptfoo") },
  });
  if (child.status !== 0)
    throw new Error(
      `${name} ended with ${child.status}: ${readFileSync(join(at, "err.txt"), "utf8")}`,
    );
  const [wall = 0, user = 0, system = 0] = child.stderr.trim().split(" ").map(Number);
  return { wall: wall * 1e6, cpu: (user + system) * 1e6 };
}

/** @param {number} count */
function questions(count) {
  return Array.from({ length: count }, (_item, index) => `What is ${index} + ${42 - index}?`);
}

/** @param {number} count */
function assaySuite(count) {
  return `
import { defineSuite } from "assay";
import { exactMatch, stringCheck } from "assay/metrics";
import { callable } from "assay/runners";
export default defineSuite({
  name: "noop",
  tasks: ${JSON.stringify(questions(count))}.map((instruction, index) => ({
    id: \`task-\${index}\`, intent: "answers", inputs: { instruction }, reference: { answer: "42" },
  })),
  metrics: [
    exactMatch({ reference: "{{ item.reference.answer }}" }),
    stringCheck({ leftTemplate: "{{ sample.output_text }}", operation: "contains", rightTemplate: "4" }),
  ],
  target: callable({ name: "noop", agent: () => "42" }),
});
`;
}

/** @param {number} count */
function evaliteSuite(count) {
  return `
import { evalite } from "evalite";
evalite("noop", {
  data: () => ${JSON.stringify(questions(count))}.map((input) => ({ input, expected: "42" })),
  task: async () => "42",
  scorers: [
    { name: "equals", scorer: ({ output, expected }) => (output === expected ? 1 : 0) },
    { name: "contains", scorer: ({ output }) => (output.includes("4") ? 1 : 0) },
  ],
});
`;
}

/** @param {readonly string[]} cells */
function row([name = "", ...cells]) {
  return `${name.padEnd(20)}${cells.map((cell) => cell.padStart(26)).join("")}\n`;
}
