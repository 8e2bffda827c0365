// @ts-check
// Kills runs at points of every write path, resumes them, and counts what was lost.
//
//   npm run crash-matrix -- [--points 500] [--seed 1] [--phase NAME [--point N]] [--json]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";

import { prepare, runPoint } from "./courses.mjs";
import { phases, wide } from "./phases.mjs";
import { addPoint, emptyRow, formatFailures, formatTable } from "./table.mjs";

const { values } = parseArgs({
  options: {
    points: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    phase: { type: "string" },
    point: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const all = [...phases, wide];
const root = mkdtempSync(join(tmpdir(), "assay-crash-"));
process.exitCode = (await main()) ? 0 : 1;

async function main() {
  const chosen = all.filter(({ name }) => values.phase === undefined || name === values.phase);
  if (chosen.length === 0) throw new Error(`phases: ${all.map(({ name }) => name).join(", ")}`);
  const rows = await eachOf(chosen, runPhase);
  const failures = rows.flatMap((row) => row.failures);
  if (values.json) process.stdout.write(`${JSON.stringify({ seed, rows })}\n`);
  else process.stdout.write(`${formatTable(rows, seed)}${formatFailures(failures)}`);
  if (failures.length === 0) rmSync(root, { recursive: true, force: true });
  return failures.length === 0;
}

/** @param {import("./phases.mjs").Phase} phase */
async function runPhase(phase) {
  const row = emptyRow(phase.name);
  const dir = join(root, phase.name.replaceAll(" ", "-"));
  const prepared = await prepare(phase, dir);
  const points = values.point === undefined ? pointsOf(prepared) : [Number(values.point)];
  for (const point of points) {
    const at = join(dir, `point-${point}`);
    const outcome = await runPoint(prepared, at, { point, random: randomOf(seed * 1e6 + point) });
    addPoint(row, { point, seed, at, ...outcome });
    if (row.failures.at(-1)?.at !== at) rmSync(at, { recursive: true, force: true });
  }
  return row;
}

/** Spread evenly over the points of the start, each moved within its part by chance. @param {import("./courses.mjs").Prepared} prepared */
function pointsOf({ phase, pointCount }) {
  const total = phases.reduce((sum, { weight }) => sum + weight, 0);
  const count = Math.max(1, Math.round((Number(values.points) * phase.weight) / total));
  const random = randomOf(seed);
  const step = pointCount / count;
  return Array.from({ length: count }, (_item, index) =>
    phase.kills === null ? 1 + Math.floor((index + random()) * step) : index + 1,
  );
}

/** Numbers from 0 to 1, the same for the same seed. @param {number} start @returns {() => number} */
function randomOf(start) {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Two at once. @template T, U @param {readonly T[]} items @param {(item: T) => Promise<U>} work @returns {Promise<U[]>} */
async function eachOf(items, work) {
  /** @type {U[]} */
  const results = [];
  let next = 0;
  const worker = async () => {
    for (let index = next; index < items.length; index = next) {
      next += 1;
      results[index] = await work(/** @type {T} */ (items[index]));
    }
  };
  await Promise.all([worker(), worker()]);
  return results;
}
