// @ts-check
// All figures of docs/performance.md, one after the other, with how busy the machine was.
//
//   npm run bench -- [--large]
import { spawnSync } from "node:child_process";
import { cpus, loadavg } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";

const given = process.argv.slice(2);
const parts = [
  { file: "start-up.mjs", args: [] },
  { file: "install-size.mjs", args: [] },
  { file: "run-trials.mjs", args: given },
  { file: "read-bundle.mjs", args: [] },
];
for (const { file, args } of parts) {
  const load = loadavg().map((one) => one.toFixed(1));
  process.stdout.write(
    `\n${file}: Node ${process.version}, ${cpus().length} cores, load ${load.join(" ")}\n\n`,
  );
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawnSync(process.execPath, [path, ...args], { stdio: "inherit" });
  if (child.status !== 0) process.exitCode = 1;
}
