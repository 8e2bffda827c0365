// @ts-check
// Runs the suite of this folder and shows its result. With OPENAI_API_KEY set Codex talks to OpenAI, else to a server
// on this machine that plays a script. The suite is run as anybody would run it, by `assay run`.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { startScriptedServer } from "./scripted-server.mjs";
import { scripts } from "./scripts.mjs";
import { ensureCodex, SetupError } from "./setup.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const assay = join(here, "../../packages/assay/bin/assay.js");

try {
  ensureCodex();
  process.exitCode = (process.env["OPENAI_API_KEY"] ?? "") === "" ? await scripted() : await real();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`demo: ${error.message}\n`);
  process.exitCode = 3;
}

async function scripted() {
  const notice =
    "SCRIPTED: no model takes part in this run. Codex is real, and talks to a server on this machine that plays a\n" +
    "script (examples/coding-agent/scripts.mjs). Set OPENAI_API_KEY to use the real endpoint, which costs money.\n";
  say(`${notice}\n`);
  const apiKey = `scripted-${randomBytes(16).toString("hex")}`;
  const server = await startScriptedServer({ scripts, apiKey });
  try {
    const env = { CODING_AGENT_BASE_URL: server.url, CODING_AGENT_API_KEY: apiKey };
    return await run("scripted", env);
  } finally {
    await server.close();
    say(`\n${notice}`);
  }
}

async function real() {
  say("Codex talks to api.openai.com, with the key in OPENAI_API_KEY. This costs money.\n\n");
  return await run("openai", {});
}

/**
 * @param {string} modelServer
 * @param {Record<string, string>} added
 * @returns {Promise<number>} the exit code
 */
function run(modelServer, added) {
  const stamp = new Date().toISOString().replace(/[:.]/g, "-");
  const out = join(here, "runs", `${stamp}-${modelServer}`);
  const args = ["run", join(here, "coding.eval.ts"), "-P", `model_server=${modelServer}`];
  // Without it each trial gets a home of its own, whatever this machine's Codex is set to.
  const { CODEX_HOME: _home, ...env } = { ...process.env, ...added };
  const child = spawn(process.execPath, [assay, ...args, "--out", out, ...process.argv.slice(2)], {
    stdio: "inherit",
    env,
  });
  // A terminal's Ctrl-C reaches the child as well, which then ends the run in order.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** @param {string} text */
function say(text) {
  process.stderr.write(text);
}
