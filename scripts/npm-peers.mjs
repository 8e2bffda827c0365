// @ts-check
// Installs the npm packages that some runners can use and the workspace does not depend on: one folder of test/peers/
// each, into .cache/peers/<name>. `node scripts/npm-peers.mjs [name...]`, by default all. Nothing is done where the
// locked versions are there already. Imports only node: modules, and speaks on stderr.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const recipes = join(root, "test", "peers");
const store = process.env["ASSAY_PEERS"] ?? join(root, ".cache", "peers");
const stampName = "assay-stamp";

/** @param {string} text */
const say = (text) => process.stderr.write(`npm-peers: ${text}\n`);

/** @param {string} file */
const readText = (file) => (existsSync(file) ? readFileSync(file, "utf8") : "");

/** @param {string} name */
function ensure(name) {
  const recipe = join(recipes, name);
  const lock = readText(join(recipe, "package-lock.json"));
  if (lock === "") throw new Error(`there is no test/peers/${name}/package-lock.json`);
  const stamp = createHash("sha256").update(`${process.version}\0${lock}`).digest("hex");
  const place = join(store, name);
  const isThere = () => readText(join(place, stampName)) === stamp;
  if (isThere()) return;
  mkdirSync(store, { recursive: true });
  // Made aside, then moved: two that are started at once do not meet.
  const aside = mkdtempSync(join(store, `.${name}-`));
  try {
    for (const file of ["package.json", "package-lock.json"])
      copyFileSync(join(recipe, file), join(aside, file));
    say(`installing ${name}`);
    const npm = process.env["npm_execpath"];
    const [command, ...prefix] = npm === undefined ? ["npm"] : [process.execPath, npm];
    // `npm run` hands on that this workspace is strict about engines, and some peers ask for a newer Node than they need.
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--engine-strict=false"];
    const args = [...prefix, "ci", ...flags];
    const result = spawnSync(command ?? "npm", args, { cwd: aside, stdio: ["ignore", 2, 2] });
    if (result.status !== 0)
      throw new Error(
        `npm ci ended with ${result.error?.message ?? result.signal ?? result.status}`,
      );
    writeFileSync(join(aside, stampName), stamp);
    if (isThere()) return;
    rmSync(place, { recursive: true, force: true });
    renameSync(aside, place);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

const names = process.argv.length > 2 ? process.argv.slice(2) : readdirSync(recipes);
for (const name of names) {
  try {
    ensure(name);
  } catch (error) {
    say(`${name} cannot be installed: ${/** @type {Error} */ (error).message}`);
    process.exitCode = 3;
  }
}
