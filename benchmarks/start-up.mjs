// @ts-check
// What it takes to start: the command, and an import of each entry, against Node with nothing to do. All are taken in
// turn, so that a busy moment meets each; the fastest round is nearest to what it costs, the middle one to what is felt.
//
//   node benchmarks/start-up.mjs [--rounds 15]
import { spawnSync } from "node:child_process";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "15" } } });
const rounds = Number(values.rounds);
const cwd = fileURLToPath(new URL("..", import.meta.url));
const command = fileURLToPath(new URL("../packages/assay/bin/assay.js", import.meta.url));
const moduleOf = (/** @type {string} */ code) => ["--input-type=module", "--eval", code];
const entries = ["assay", "assay/metrics", "assay/runners", "assay/bundle", "assay/testing"];
const starts = [
  { name: "bare node", args: moduleOf("") },
  { name: "assay --help", args: [command, "--help"] },
  { name: "assay --version", args: [command, "--version"] },
  ...entries.map((entry) => ({
    name: `import "${entry}"`,
    args: moduleOf(`await import(${JSON.stringify(entry)})`),
  })),
].map((start) => ({ ...start, times: /** @type {number[]} */ ([]) }));

for (let round = 0; round < rounds; round += 1)
  for (const { args, times } of starts) times.push(timeOf(args));

const figures = starts.map(({ name, times }) => {
  times.sort((a, b) => a - b);
  return { name, fastest: times[0] ?? 0, middle: times[Math.floor(rounds / 2)] ?? 0 };
});
const bare = figures[0]?.fastest ?? 0;
const head = ["", "fastest", "above bare node", "middle"];
const lines = figures.map(({ name, fastest, middle }) => [
  name,
  ...[fastest, fastest - bare, middle].map((ms) => ms.toFixed(0)),
]);
process.stdout.write(`start-up, ${rounds} rounds, in ms by the clock\n`);
for (const [name = "", ...cells] of [head, ...lines])
  process.stdout.write(`${name.padEnd(24)}${cells.map((cell) => cell.padStart(17)).join("")}\n`);

/** @param {readonly string[]} args */
function timeOf(args) {
  const start = performance.now();
  const child = spawnSync(process.execPath, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  if (child.status !== 0) throw new Error(`${args.join(" ")} ended with ${child.status}`);
  return performance.now() - start;
}
