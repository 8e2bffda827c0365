// @ts-check
// Runs every gate but the tests, fast ones first, and says at the end which did not pass. One
// failing gate does not hide the others.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const gates = [
  "lint",
  "typecheck",
  "layers",
  "unused",
  "sizes",
  "licences",
  "build",
  "generated",
  "docs",
  "package-check",
];
const root = fileURLToPath(new URL("..", import.meta.url));
const npm = process.env["npm_execpath"];
const [command, prefix] =
  npm?.endsWith("npm-cli.js") === true ? [process.execPath, [npm]] : ["npm", []];

const setup = spawnSync(process.execPath, ["scripts/setup.mjs"], { cwd: root, stdio: "inherit" });
if (setup.status !== 0) process.exit(setup.status ?? 70);

/** @type {string[]} */
const failed = [];
for (const gate of gates) {
  const started = performance.now();
  const result = spawnSync(command, [...prefix, "run", "--silent", gate], {
    cwd: root,
    stdio: "inherit",
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const passed = result.status === 0;
  process.stdout.write(`gate ${gate}: ${passed ? "passed" : "FAILED"} in ${seconds} s\n`);
  if (!passed) failed.push(gate);
}
const verdict = failed.length === 0 ? "all passed" : `failed: ${failed.join(", ")}`;
process.stdout.write(`gates: ${gates.length} run, ${verdict}\n`);
if (failed.length > 0) process.exitCode = 1;
