// @ts-check
// What `npm install assay` brings: packs the package as it would be published, and installs it into an empty folder.
//
//   node benchmarks/install-size.mjs
import { spawnSync } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const packageDir = fileURLToPath(new URL("../packages/assay", import.meta.url));
const dir = mkdtempSync(join(tmpdir(), "assay-install-"));
try {
  const packed = npm(["pack", packageDir, "--json", "--pack-destination", dir]);
  const [{ filename, size, unpackedSize }] = JSON.parse(packed);
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true }));
  npm(["install", join(dir, filename), "--no-audit", "--no-fund", "--ignore-scripts"]);
  const installed = Object.entries(readJson("node_modules/.package-lock.json").packages);
  const direct = Object.keys(readJson("node_modules/assay/package.json").dependencies);
  const withScripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const largest = installed
    .map(([path]) => ({ path, bytes: ownBytes(join(dir, path)) }))
    .sort((a, b) => b.bytes - a.bytes);
  const lines = [
    ["the package", `${megabytes(size)} packed, ${megabytes(unpackedSize)} unpacked`],
    ["direct dependencies", `${direct.length}: ${direct.join(", ")}`],
    ["packages in all", `${installed.length}`],
    ["on disk", megabytes(largest.reduce((sum, { bytes }) => sum + bytes, 0))],
    ["install scripts", withScripts.map(([path]) => path).join(", ") || "none"],
    ["the largest", largest.slice(0, 5).map(shown).join(", ")],
  ];
  process.stdout.write("install of assay into an empty folder\n");
  for (const [name = "", text = ""] of lines) process.stdout.write(`${name.padEnd(24)}${text}\n`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

/** @param {readonly string[]} args */
function npm(args) {
  const child = spawnSync("npm", args, {
    cwd: dir,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.status !== 0) throw new Error(`npm ${args[0]} ended with ${child.status}`);
  return child.stdout;
}

/** @param {string} file @returns {any} */
function readJson(file) {
  return JSON.parse(readFileSync(join(dir, file), "utf8"));
}

/** Without the packages inside of it, which are counted as their own. @param {string} path @returns {number} */
function ownBytes(path) {
  const facts = lstatSync(path);
  if (!facts.isDirectory()) return facts.size;
  return readdirSync(path)
    .filter((name) => name !== "node_modules")
    .reduce((sum, name) => sum + ownBytes(join(path, name)), 0);
}

/** @param {{ path: string, bytes: number }} one */
function shown({ path, bytes }) {
  return `${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)} ${megabytes(bytes)}`;
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
