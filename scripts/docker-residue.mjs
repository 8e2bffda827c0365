// @ts-check
// Interrupts a hundred trials in containers at random times, thirty of them by SIGKILL, starts one more run, and prints
// what is left of them: `scripts/with-docker.sh node scripts/docker-residue.mjs`. Exit 1 when anything is.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const assay = join(root, "packages/assay/bin/assay.js");
const image = process.argv[2] ?? "assay-test/base:1";
const trialsPerRun = 10;
/** Of each run of ten trials, what it is sent. */
const endings = [
  ...Array.from({ length: 3 }, () => ["SIGKILL"]),
  ...Array.from({ length: 4 }, () => ["SIGINT"]),
  ...Array.from({ length: 3 }, () => ["SIGINT", "SIGINT"]),
];

const suite = `
import { defineSuite } from "assay";
import { defineRunner } from "assay/runners";
const sleeper = defineRunner({
  name: "sleeper",
  description: "Sleeps in a container.",
  needs: [],
  options: {},
  timeLimitS: () => null,
  trialIdSuffix: () => "sleeper",
  async run(task, { sandboxes, baseDir, signal, trialIndex }) {
    const docker = await sandboxes.docker({ program: "docker", baseDir });
    const found = await docker.resolveImage(${JSON.stringify(image)});
    const isRootReadOnly = trialIndex % 2 === 1;
    const sandbox = await docker.create({ image: found, trialId: task.id + trialIndex, isRootReadOnly }, { signal });
    try {
      await sandbox.exec({ argv: ["sleep", process.env.SLEEP_S ?? "600"], signal, graceMs: 100 });
      return { output: "slept" };
    } finally {
      await sandbox.stop();
    }
  },
});
export default defineSuite({
  name: "residue",
  tasks: [{ id: "t", intent: "x", inputs: { instruction: "x" } }],
  metrics: [function slept({ output }) { return { name: "slept", score: output === "slept" ? 1 : 0 }; }],
  target: sleeper({}),
});`;

const folder = mkdtempSync(join(tmpdir(), "assay-residue-"));
writeFileSync(join(folder, "residue.eval.ts"), suite);

/** @param {string} out @param {number} trials @param {Record<string, string>} [env] */
function start(out, trials, env = {}) {
  const flags = ["--trials", String(trials), "--concurrency", String(trials), "--quiet"];
  const child = spawn(process.execPath, [assay, "run", "residue.eval.ts", "--out", out, ...flags], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "ignore"],
  });
  return { child, ended: once(child, "exit") };
}

/** @param {number} maxMs */
const randomTime = (maxMs) =>
  new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * maxMs));

/** @type {string[]} */
const runIds = [];

/** What is there of the runs that were started: others may use the same engine. */
function left() {
  const count = (/** @type {string[]} */ ...args) =>
    runIds.reduce((sum, id) => {
      const filter = ["--filter", `label=dev.assay.run-id=${id}`];
      const { stdout } = spawnSync("docker", [...args, ...filter], { encoding: "utf8" });
      return sum + stdout.split("\n").filter((line) => line !== "").length;
    }, 0);
  return {
    containers: count("ps", "--all", "--quiet"),
    networks: count("network", "ls", "--quiet"),
    volumes: count("volume", "ls", "--quiet"),
  };
}

try {
  let killedLeft = 0;
  for (const [index, signals] of endings.entries()) {
    const { child, ended } = start(`run-${index}`, trialsPerRun);
    // Its trials begin when its directory is there.
    const manifest = join(folder, `run-${index}`, "run.json");
    while (!existsSync(manifest)) await randomTime(0);
    runIds.push(JSON.parse(readFileSync(manifest, "utf8")).run_id);
    for (const signal of signals) {
      await randomTime(7000);
      child.kill(/** @type {NodeJS.Signals} */ (signal));
    }
    await ended;
    const { containers } = left();
    if (signals[0] === "SIGKILL") killedLeft = Math.max(killedLeft, containers);
    console.log(
      `run ${index}: ${trialsPerRun} trials, ${signals.join(" then ")}; then there were`,
      left(),
    );
  }
  const { ended } = start("last", 1, { SLEEP_S: "0" });
  const [exitCode] = await ended;
  // What a second Ctrl-C left to a command of its own is gone within seconds.
  await randomTime(12_000);
  const after = left();
  console.log(
    `${endings.length * trialsPerRun} trials interrupted, 30 by SIGKILL, which left up to ${killedLeft} containers`,
  );
  console.log(`after the next run (exit code ${exitCode}) there are`, after);
  const isClean = Object.values(after).every((count) => count === 0);
  // Runs that made nothing would show nothing.
  if (!isClean || exitCode !== 0 || killedLeft === 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
