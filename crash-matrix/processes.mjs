// @ts-check
// Starts of a run in processes of their own, which are killed.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

import { log } from "./execution-log.mjs";
import { cutPower } from "./power-cut.mjs";

const startFile = fileURLToPath(new URL("start.mjs", import.meta.url));
const killPoints = pathToFileURL(fileURLToPath(new URL("kill-points.mjs", import.meta.url))).href;

/**
 * @typedef {ReturnType<typeof import("./workloads.mjs").placeOf>} Place
 * @typedef {import("./workloads.mjs").Start} Start
 * @typedef {{ isKilled: boolean, exitCode: number | null, note: string, stderr: string, durationMs: number }} Ended
 */

/**
 * Kills the start at a point; 0 lets it end, and the note of how it ended is then the number of its points.
 * @param {Place} place @param {Start} start
 * @param {{ point: number, cutsPower?: boolean }} at
 * @returns {Promise<Ended>}
 */
export async function startUntil(place, start, { point, cutsPower = false }) {
  const noteFile = join(place.root, "kill-note");
  const stateFile = join(place.root, "power-cut");
  const child = spawnStart(place, start, ["--import", killPoints], {
    ASSAY_KILL_AT: String(point),
    ASSAY_KILL_NOTE: noteFile,
    ...(cutsPower ? { ASSAY_POWER_CUT: stateFile, ASSAY_POWER_ROOT: place.root } : {}),
  });
  const ended = await endOf(child, place, () =>
    existsSync(noteFile) ? readFileSync(noteFile, "utf8") : "",
  );
  cutPower(place.root, stateFile);
  return ended;
}

/**
 * Kills the start so long after it began; null lets it end.
 * @param {Place} place @param {Start} start @param {number | null} afterMs @returns {Promise<Ended>}
 */
export async function startFor(place, start, afterMs) {
  const child = spawnStart(place, start, [], {});
  if (afterMs !== null)
    child.stdout?.once("data", () => {
      setTimeout(() => child.kill("SIGKILL"), afterMs);
    });
  const at = `${afterMs?.toFixed(0)} ms`;
  return await endOf(child, place, (isKilled) =>
    isKilled ? `killed after ${at}` : `no kill: it ended before its moment, ${at}`,
  );
}

/** @param {Place} place @param {Start} start @param {string[]} options @param {Record<string, string>} env */
function spawnStart(place, start, options, env) {
  const args = [...options, startFile, place.root, JSON.stringify(start)];
  return spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"] ?? "", HOME: place.root, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** @param {import("node:child_process").ChildProcess} child @param {Place} place @param {(isKilled: boolean) => string} note @returns {Promise<Ended>} */
async function endOf(child, place, note) {
  let stderr = "";
  let readyAt = performance.now();
  child.stdout?.once("data", () => {
    readyAt = performance.now();
  });
  child.stderr?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
    stderr += text;
  });
  return await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode, signal) => {
      const isKilled = signal === "SIGKILL";
      if (isKilled) log(place.log, { what: "killed" });
      const durationMs = performance.now() - readyAt;
      resolve({ isKilled, exitCode, note: note(isKilled), stderr, durationMs });
    });
  });
}
