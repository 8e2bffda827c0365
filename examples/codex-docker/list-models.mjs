// @ts-check
// Prints the models that the installed Codex CLI offers, the preferred one first: `node list-models.mjs [codex]`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Lines of `slug<TAB>display name`, or the slug alone where both are the same.
 *
 * @param {unknown} payload what `codex debug models` prints, parsed
 * @returns {string[]}
 */
export function modelLines(payload) {
  const models = /** @type {{ models?: unknown } | null} */ (payload)?.models;
  if (!Array.isArray(models)) throw new Error("`codex debug models` gave no list of models");
  return models
    .filter(({ visibility }) => visibility === "list")
    .sort((left, right) => (right.priority ?? 0) - (left.priority ?? 0))
    .map(({ slug, display_name: name }) =>
      name === undefined || name === slug ? slug : `${slug}\t${name}`,
    );
}

/** @param {string} codex @returns {string[]} */
export function listModels(codex) {
  // Codex writes to its home even when it is only asked, and refuses one in a temporary directory.
  const home = mkdtempSync(join(homedir(), ".codex-models-"));
  try {
    const env = { ...process.env, CODEX_HOME: process.env["CODEX_HOME"] ?? home };
    const { status, stdout, stderr, error } = spawnSync(codex, ["debug", "models"], {
      env,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    if (error !== undefined) throw new Error(`${codex} could not be started: ${error.message}`);
    if (status !== 0)
      throw new Error(`${codex} debug models ended with ${status}: ${stderr.trim()}`);
    return modelLines(JSON.parse(stdout));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    for (const line of listModels(process.argv[2] ?? "codex")) process.stdout.write(`${line}\n`);
  } catch (error) {
    process.stderr.write(`list-models: ${/** @type {Error} */ (error).message}\n`);
    process.exitCode = 3;
  }
}
