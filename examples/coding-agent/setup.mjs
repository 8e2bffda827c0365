// @ts-check
// Installs the Codex CLI of this example, once. It is not part of the workspace, since it weighs 420 MB. Imports only
// node: modules and speaks on stderr only, because its callers own stdout.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const modulesDir = join(here, "node_modules");
// The stamp lies inside what it vouches for, so removing the folder removes the stamp.
const stampFile = join(modulesDir, ".setup-stamp");
const lockFile = join(here, ".cache", "setup.lock");

/** The Codex CLI could not be installed; the message says what to do. */
export class SetupError extends Error {}

/**
 * Installs the Codex CLI unless it is there.
 *
 * @returns {string} path of the `codex` program
 */
export function ensureCodex() {
  const stamp = currentStamp();
  if (readText(stampFile) !== stamp) {
    takeLock();
    try {
      if (readText(stampFile) !== stamp) install(stamp);
    } finally {
      rmSync(lockFile, { force: true });
    }
  }
  return join(modulesDir, ".bin", process.platform === "win32" ? "codex.cmd" : "codex");
}

/** @param {string} stamp */
function install(stamp) {
  say("installing the Codex CLI (about 420 MB)");
  const npm = findNpm();
  const args = [...npm.prefix, "ci", "--include=optional", "--ignore-scripts", "--no-audit"];
  const result = spawnSync(npm.command, [...args, "--no-fund"], {
    cwd: here,
    stdio: ["ignore", 2, 2],
  });
  if (result.error) {
    throw new SetupError(`npm could not be started (${result.error.message}): install npm`);
  }
  if (result.status !== 0) {
    const end = result.signal ?? `exit code ${result.status}`;
    throw new SetupError(`npm ci ended with ${end}: is the package registry reachable?`);
  }
  const platform = `${process.platform}-${process.arch}`;
  if (!existsSync(join(modulesDir, "@openai", `codex-${platform}`))) {
    throw new SetupError(`there is no Codex CLI for ${platform}`);
  }
  writeFileSync(stampFile, stamp);
}

function currentStamp() {
  const lock = readText(join(here, "package-lock.json"));
  if (lock === "") throw new SetupError("package-lock.json is missing: restore it with git");
  const machine = [process.version, process.platform, process.arch].join(" ");
  return createHash("sha256").update(`${machine}\0${lock}`).digest("hex");
}

/** Two commands that are started at once must not install over each other. */
function takeLock() {
  mkdirSync(dirname(lockFile), { recursive: true });
  for (let hasSpoken = false; ; hasSpoken = true) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: "wx" });
      return;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
    }
    // The owner of an empty lock is about to write its process id.
    const owner = readText(lockFile);
    if (owner !== "" && !isAlive(Number(owner))) rmSync(lockFile, { force: true });
    if (!hasSpoken) say("waiting for another set-up of this example");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

function findNpm() {
  const bin = dirname(process.execPath);
  const candidates = [
    process.env["npm_execpath"],
    join(bin, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    join(bin, "node_modules", "npm", "bin", "npm-cli.js"),
  ];
  for (const candidate of candidates) {
    if (candidate && basename(candidate) === "npm-cli.js" && existsSync(candidate)) {
      return { command: process.execPath, prefix: [candidate] };
    }
  }
  return { command: process.platform === "win32" ? "npm.cmd" : "npm", prefix: [] };
}

/** @param {string} file */
function readText(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`setup: ${text}\n`);
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    ensureCodex();
  } catch (error) {
    say(error instanceof SetupError ? error.message : String(/** @type {Error} */ (error).stack));
    process.exitCode = error instanceof SetupError ? 3 : 70;
  }
}
