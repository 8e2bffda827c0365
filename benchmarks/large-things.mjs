// @ts-check
// Runs what is large through the command, shows it, scores it again, and prints what became of it and what it took. A
// case fails by its exit code, by what is in its bundle, and by any death of the process.
//
//   node benchmarks/large-things.mjs [--only NAME]... [--keep]
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { asForeign, cases } from "./large-things/cases.mjs";

/** @typedef {import("./large-things/cases.mjs").Case} Case */

const { values } = parseArgs({
  options: { only: { type: "string", multiple: true }, keep: { type: "boolean", default: false } },
});
const at = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const command = at("../packages/assay/bin/assay.js");
const suiteFile = at("large-things/large.eval.ts");
const peakHook = new URL("large-things/report-peak.mjs", import.meta.url).href;
// Codex refuses to work in a temporary directory.
const cacheDir = join(homedir(), ".cache", "assay-large-things");
const root = mkdtempSync(join(tmpdir(), "assay-large-"));
let failures = 0;
try {
  process.stdout.write(line(["case", "command", "s", "MiB", "result"]));
  for (const one of cases)
    if (values.only === undefined || values.only.includes(one.name)) await measure(one);
} finally {
  rmSync(cacheDir, { recursive: true, force: true });
  if (!values.keep) rmSync(root, { recursive: true, force: true });
  else process.stdout.write(`kept: ${root}\n`);
}
process.exitCode = failures > 0 ? 1 : 0;

/** @param {Case} one */
async function measure(one) {
  const dir = join(root, one.name);
  mkdirSync(dir);
  await one.prepare?.(dir);
  const run = join(dir, "run");
  const suite = one.suite ?? suiteFile;
  const parameters =
    one.suite === undefined
      ? ["-P", `what=${one.what ?? one.name}`, "-P", `dir=${dir}`, ...(one.arguments ?? [])]
      : [];
  const given = ["run", suite, "--out", "run", "--quiet", ...parameters];
  const ran = assay(dir, given);
  if (one.name === "trial-row" && ran.exitCode === 0) asForeign(run);
  const told = existsSync(join(run, "trials.jsonl")) ? await one.tell?.(run) : ran.stderr;
  const isExpected = ran.exitCode === (one.exitCode ?? 0) && one.expected.test(told ?? "");
  report([one.about, "run", ran, `${told}`], isExpected);
  if (one.isRead === true && isExpected) {
    const shown = assay(dir, ["show", "run", "--json"]);
    report(["", "show", shown, textOf(shown)], shown.exitCode === 0);
    const again = ["rescore", "run", "--suite", suite, "--out", "again", "--quiet", ...parameters];
    const scored = assay(dir, again);
    report(["", "rescore", scored, textOf(scored)], scored.exitCode === (one.exitCode ?? 0));
  }
  if (!values.keep) rmSync(dir, { recursive: true, force: true });
}

/** @typedef {{ exitCode: number | string | null, seconds: number, mebibytes: string, stderr: string, stdoutBytes: number }} Ended */

/** @param {string} cwd @param {readonly string[]} args @returns {Ended} */
function assay(cwd, args) {
  const peakFile = join(cwd, "peak");
  const start = performance.now();
  const child = spawnSync(process.execPath, ["--import", peakHook, command, ...args], {
    cwd,
    encoding: "utf8",
    maxBuffer: 1024 * 1024 * 1024,
    env: {
      PATH: [join(cwd, "bin"), process.env["PATH"]].join(delimiter),
      HOME: cwd,
      XDG_CACHE_HOME: cacheDir,
      LARGE_PEAK: peakFile,
    },
  });
  const seconds = (performance.now() - start) / 1000;
  const mebibytes = existsSync(peakFile)
    ? Number(readFileSync(peakFile, "utf8")).toFixed(0)
    : "died";
  rmSync(peakFile, { force: true });
  const { status, signal, stdout, stderr } = child;
  return { exitCode: status ?? signal, seconds, mebibytes, stderr, stdoutBytes: stdout.length };
}

/** @param {Ended} ended */
function textOf({ exitCode, stderr, stdoutBytes }) {
  return exitCode === 0
    ? `exit code 0, ${stdoutBytes} bytes`
    : `exit code ${exitCode}: ${stderr.trim().slice(-1000)}`;
}

/** @param {[string, string, Ended, string]} cells @param {boolean} isExpected */
function report([about, name, { seconds, mebibytes, exitCode, stderr }, told], isExpected) {
  if (!isExpected) failures += 1;
  const result = isExpected
    ? told
    : `UNEXPECTED, exit code ${exitCode}: ${told.slice(0, 1000)}\n${stderr.trim().slice(-1500)}`;
  process.stdout.write(line([about, name, seconds.toFixed(1), mebibytes, result]));
}

/** @param {readonly string[]} cells */
function line([about = "", name = "", seconds = "", mebibytes = "", result = ""]) {
  return `${about.padEnd(58)} ${name.padEnd(8)} ${seconds.padStart(6)} ${mebibytes.padStart(5)}  ${result}\n`;
}
