// @ts-check
/**
 * @typedef {object} Failure
 * @property {string} phase
 * @property {number} point
 * @property {number} seed
 * @property {string} note what was being done at the kill
 * @property {string} at where the run lies
 * @property {import("./checks.mjs").Faults} faults
 */

/** @param {string} phase */
export function emptyRow(phase) {
  /** @type {Failure[]} */
  const failures = [];
  /** @type {string[]} points that met no kill, and why */
  const unmet = [];
  return {
    phase,
    points: 0,
    kills: 0,
    resumed: 0,
    lost: 0,
    twice: 0,
    unreadable: 0,
    other: 0,
    failures,
    unmet,
  };
}

/** @typedef {ReturnType<typeof emptyRow>} Row */
const kinds = /** @type {const} */ (["lost", "twice", "unreadable", "other"]);

/** @param {Row} row @param {Omit<Failure, "phase"> & { killCount: number }} outcome */
export function addPoint(row, { killCount, faults, point, seed, note, at }) {
  row.points += 1;
  row.kills += killCount;
  if (killCount === 0) row.unmet.push(`${row.phase}, point ${point}: ${note}`);
  let isWell = true;
  for (const kind of kinds) {
    row[kind] += faults[kind].length;
    isWell &&= faults[kind].length === 0;
  }
  if (isWell) row.resumed += 1;
  else row.failures.push({ phase: row.phase, point, seed, note, at, faults });
}

const columns = /** @type {const} */ (["points", "kills", "resumed", ...kinds]);
const nameWidth = 28;
const width = 8;

/** @param {readonly Row[]} rows @param {number} seed */
export function formatTable(rows, seed) {
  const total = { ...emptyRow("all") };
  for (const row of rows) for (const column of columns) total[column] += row[column];
  const head = ["phase".padEnd(nameWidth), ...columns.map((name) => cell(name))].join("");
  const lines = [...rows, total].map((row) =>
    [row.phase.padEnd(nameWidth), ...columns.map((name) => cell(String(row[name])))].join(""),
  );
  const unmet = rows.flatMap((row) => row.unmet);
  return `${[head, ...lines, ...unmet].join("\n")}\n(seed ${seed})\n`;
}

/** @param {string} text */
function cell(text) {
  return text.slice(0, 10).padStart(text.length > width - 1 ? 11 : width);
}

/** @param {readonly Failure[]} failures */
export function formatFailures(failures) {
  return failures
    .map(({ phase, point, seed, note, at, faults }) => {
      const texts = kinds.flatMap((kind) => faults[kind].map((text) => `  ${kind}: ${text}\n`));
      return `\n${phase}, point ${point}: ${note}\n${texts.join("")}  the run: ${at}\n  again: npm run crash-matrix -- --seed ${seed} --phase "${phase}" --point ${point}\n`;
    })
    .join("");
}
