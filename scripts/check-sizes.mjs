// @ts-check
// A source file over the hard limit, or named after nothing in particular, fails; one over the
// soft limit is listed so that a reviewer asks why.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const soft = 300;
const hard = 500;
const forbidden = new Set(["utils.ts", "helpers.ts", "common.ts", "misc.ts", "types.ts"]);

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = join(root, "packages/assay/src");

const files = readdirSync(sources, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((path) => !path.split(/[\\/]/).includes("fixtures"));

/** @type {string[]} */
const problems = [];
for (const path of files.sort()) {
  const name = relative(root, path);
  const lines = readFileSync(path, "utf8").split("\n").length - 1;
  if (forbidden.has(basename(path))) problems.push(`${name}: name it after what it holds`);
  if (path.endsWith(".test.ts")) continue;
  if (lines > hard) problems.push(`${name}: ${lines} lines, the limit is ${hard}`);
  else if (lines > soft) process.stdout.write(`long: ${name} has ${lines} lines (> ${soft})\n`);
}

for (const problem of problems) process.stderr.write(`sizes: ${problem}\n`);
process.stdout.write(`sizes: ${files.length} files, ${problems.length} over the limits\n`);
if (files.length === 0 || problems.length > 0) process.exitCode = 1;
