import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { phases, wide } from "../../crash-matrix/phases.mjs";
import type { Row } from "../../crash-matrix/table.mjs";
import { repoRoot } from "../support/tools.ts";

const points = 60;
const seed = 1;
let rows: readonly Row[] = [];

beforeAll(async () => {
  const main = join(repoRoot, "crash-matrix/main.mjs");
  const args = [main, "--points", String(points), "--seed", String(seed), "--json"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  rows = (JSON.parse(await text(child.stdout)) as { rows: readonly Row[] }).rows;
}, 600_000);

function rowOf(phase: string): Row {
  return rows.find((row) => row.phase === phase) as Row;
}

describe(`a run that is killed at ${points} points (seed ${seed})`, () => {
  it.each(phases.map(({ name, kills }) => ({ name, isAtRandomTimes: kills !== null })))(
    "loses no trial and repeats none that was reported: $name",
    ({ name, isAtRandomTimes }) => {
      const row = rowOf(name);

      expect(row.failures).toEqual([]);
      expect(row).toMatchObject({ lost: 0, twice: 0, unreadable: 0, other: 0 });
      expect(row.resumed).toBe(row.points);
      // Which operations there are depends on time a little: a point near the end may meet no start that has it.
      expect(row.kills).toBeGreaterThanOrEqual(isAtRandomTimes ? 1 : row.points * 0.7);
    },
  );

  it("is killed at as many points as were asked for", () => {
    const count = phases.reduce((sum, { name }) => sum + rowOf(name).points, 0);

    expect(Math.abs(count - points)).toBeLessThanOrEqual(phases.length);
  });

  it("has at most one more execution per trial that was under way at each of five kills", () => {
    expect(rowOf(wide.name)).toMatchObject({ points: 1, kills: 5, resumed: 1, failures: [] });
  });
});
