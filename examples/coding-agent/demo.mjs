// @ts-check
// Runs the suite of this folder and shows its result. With OPENAI_API_KEY set Codex talks to OpenAI, else to a server
// on this machine that plays a script. The suite is run as anybody would run it, by `assay run`.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { startScriptedServer } from "./scripted-server.mjs";
import { scripts } from "./scripts.mjs";
import { ensureCodex, SetupError } from "./setup.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const assay = join(here, "../../packages/assay/bin/assay.js");
const suite = relative(process.cwd(), join(here, "coding.eval.ts"));

try {
  const codex = ensureCodex();
  const hasKey = (process.env["OPENAI_API_KEY"] ?? "") !== "";
  process.exitCode = hasKey ? await real() : await scripted(codex);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`demo: ${error.message}\n`);
  process.exitCode = 3;
}

/** @param {string} codex */
async function scripted(codex) {
  const notice =
    "SCRIPTED: no model takes part in this run. Codex is real, and talks to a server on this machine that plays a\n" +
    "script (examples/coding-agent/scripts.mjs). With OPENAI_API_KEY set it uses the real endpoint, which costs money.\n";
  process.stdout.write(`${notice}\n`);
  const apiKey = `key-${randomBytes(16).toString("hex")}`;
  const server = await startScriptedServer({ scripts, apiKey });
  try {
    const env = { CODING_AGENT_BASE_URL: server.url, CODING_AGENT_API_KEY: apiKey };
    return await run("scripted", env, hasSandbox(codex) ? [] : withoutSandbox());
  } finally {
    await server.close();
    process.stdout.write(`\n${notice}`);
  }
}

async function real() {
  process.stdout.write(
    "Codex talks to api.openai.com with the key in OPENAI_API_KEY. This costs money.\n\n",
  );
  return await run("openai", {}, []);
}

/** Whether the system lets Codex make its sandbox; many containers do not. @param {string} codex */
function hasSandbox(codex) {
  const home = mkdtempSync(join(tmpdir(), "assay-demo-"));
  const env = { ...process.env, HOME: home, CODEX_HOME: home };
  const { status } = spawnSync(codex, ["sandbox", "--", "true"], { env, stdio: "ignore" });
  rmSync(home, { recursive: true, force: true });
  return status === 0;
}

/** The script's commands are known and harmless. For a real model this would be the user's decision. */
function withoutSandbox() {
  process.stdout.write(
    "This system does not let Codex make its sandbox, so the script's commands run without one.\n\n",
  );
  return ["--set", "target.sandbox=danger-full-access"];
}

/**
 * @param {string} modelServer
 * @param {Record<string, string>} added to the environment
 * @param {string[]} flags
 * @returns {Promise<number>} the exit code
 */
function run(modelServer, added, flags) {
  // Without it each trial gets a home of its own, whatever this machine's Codex is set to.
  const { CODEX_HOME: _home, ...env } = { ...process.env, ...added };
  const args = [assay, "run", suite, "-P", `model_server=${modelServer}`, ...flags];
  const child = spawn(process.execPath, args, { stdio: "inherit", env });
  // A terminal's Ctrl-C reaches the child as well, which then ends the run in order.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}
