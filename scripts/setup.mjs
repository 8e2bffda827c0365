// @ts-check
// Makes a checkout ready to run: installs when the lockfile, Node or the machine changed, builds
// when the sources changed. `--build` builds in any case. Imports only node: modules, because it
// runs before anything is installed; speaks on stderr only, because its callers own stdout.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const packageDir = join(root, "packages", "assay");
const sourceDir = join(packageDir, "src");
const distDir = join(packageDir, "dist");
// Both stamps lie inside what they vouch for, so removing a folder removes its stamp.
const installStamp = join(root, "node_modules", ".assay-setup");
const buildStamp = join(distDir, ".build-stamp");
const lockDir = join(root, ".cache", "setup.lock");

class SetupError extends Error {}

/** @param {string} text */
function say(text) {
  process.stderr.write(`setup: ${text}\n`);
}

/** @param {string} file */
function readText(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

function installKey() {
  const lock = readText(join(root, "package-lock.json"));
  if (lock === "") throw new SetupError("package-lock.json is missing: restore it with git");
  const machine = [process.version, process.platform, process.arch].join(" ");
  return createHash("sha256").update(machine).update("\0").update(lock).digest("hex");
}

/**
 * True when npm already put exactly the locked versions here (somebody ran `npm ci` by hand), so
 * that a second install would change nothing.
 */
function isInstalled() {
  const installed = readText(join(root, "node_modules", ".package-lock.json"));
  if (installed === "" || existsSync(installStamp)) return false;
  const here = JSON.parse(installed).packages;
  const locked = JSON.parse(readText(join(root, "package-lock.json"))).packages;
  return Object.entries(locked).every(([path, entry]) => {
    if (!path.startsWith("node_modules/") && !path.includes("/node_modules/")) return true;
    if (here[path] === undefined) return entry.optional === true || entry.peer === true;
    return here[path].version === entry.version;
  });
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

function install() {
  const npm = findNpm();
  say(`installing the locked dependencies (Node ${process.version})`);
  // A production NODE_ENV would leave out the tools that build and test.
  const args = [...npm.prefix, "ci", "--include=dev", "--include=optional", "--no-audit"];
  const result = spawnSync(npm.command, [...args, "--no-fund", "--ignore-scripts"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (result.error) {
    throw new SetupError(
      `npm could not be started (${result.error.message}): install npm 10 or later`,
    );
  }
  if (result.status !== 0) {
    throw new SetupError(
      `npm ci ended with ${result.signal ?? result.status}: see its output above`,
    );
  }
}

/** @param {string} folder @returns {string[]} */
function listFiles(folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? listFiles(path) : [path];
    })
    .sort();
}

/** @param {string} file */
function isBuilt(file) {
  const parts = relative(sourceDir, file).split(sep);
  return /(?<!\.test)\.(ts|py)$/.test(file) && !parts.includes("fixtures");
}

function buildKey() {
  const settings = ["tsconfig.base.json", "packages/assay/tsconfig.json", "package-lock.json"];
  const files = listFiles(sourceDir).filter(isBuilt);
  const hash = createHash("sha256");
  for (const file of [...settings.map((name) => join(root, name)), ...files]) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readText(file))
      .update("\0");
  }
  return hash.digest("hex");
}

function build() {
  const key = buildKey();
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  if (!existsSync(tsc)) throw new SetupError("TypeScript is not installed: run npm ci");
  say("building packages/assay");
  rmSync(buildStamp, { force: true });
  const result = spawnSync(process.execPath, [tsc, "--project", packageDir], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (result.status !== 0) throw new SetupError("the build failed: see the errors above");
  copyData();
  removeOrphans();
  writeFileSync(buildStamp, key);
}

/** Programs for other interpreters, which lie beside the modules that start them. */
function copyData() {
  for (const file of listFiles(sourceDir).filter((path) => path.endsWith(".py") && isBuilt(path))) {
    const target = join(distDir, relative(sourceDir, file));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(file, target);
  }
}

/** tsc never deletes; a module whose source is gone must not be importable or be packed. */
function removeOrphans() {
  for (const file of listFiles(distDir)) {
    const source = relative(distDir, file).replace(/(\.d\.ts|\.js\.map|\.js)$/, ".ts");
    if (/\.(ts|py)$/.test(source) && !existsSync(join(sourceDir, source))) rmSync(file);
  }
}

/** Two commands started at once in a fresh checkout must not install over each other. */
function takeLock() {
  mkdirSync(dirname(lockDir), { recursive: true });
  for (let waited = 0; ; waited += 1) {
    try {
      mkdirSync(lockDir);
      writeFileSync(join(lockDir, "pid"), String(process.pid));
      return;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
    }
    if (isLockStale()) {
      rmSync(lockDir, { recursive: true, force: true });
      continue;
    }
    if (waited === 0) say("waiting for another setup of this checkout");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

function isLockStale() {
  const pid = Number(readText(join(lockDir, "pid")));
  if (!Number.isInteger(pid) || pid <= 0) {
    // Just made and not yet signed, or its owner died in between: give it a moment.
    const made = statSync(lockDir, { throwIfNoEntry: false });
    return made !== undefined && Date.now() - made.mtimeMs > 5_000;
  }
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "ESRCH";
  }
}

/** @param {boolean} forceBuild */
function isReady(forceBuild) {
  if (forceBuild || readText(installStamp) !== installKey()) return false;
  return readText(buildStamp) === buildKey();
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new SetupError(`Assay needs Node 20.19 or later, and this is ${process.version}`);
}

function main() {
  checkNode();
  const forceBuild = process.argv.includes("--build");
  if (isReady(forceBuild)) return;
  takeLock();
  try {
    const key = installKey();
    if (readText(installStamp) !== key) {
      if (!isInstalled()) install();
      writeFileSync(installStamp, key);
    }
    if (forceBuild || readText(buildStamp) !== buildKey()) build();
  } finally {
    rmSync(lockDir, { recursive: true, force: true });
  }
}

try {
  main();
} catch (error) {
  say(error instanceof SetupError ? error.message : String(/** @type {Error} */ (error).stack));
  process.exitCode = error instanceof SetupError ? 3 : 70;
}
