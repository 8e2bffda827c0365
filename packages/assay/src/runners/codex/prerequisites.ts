import { createHash } from "node:crypto";
import path from "node:path";

import type { ProbeContext, ToolFacts } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { isOlder, parseVersion } from "../../support/versions.ts";
import type { JsonObject } from "../../support/json.ts";
import { hostHome, refuseTemporaryHome } from "./home.ts";
import type { CodexOptions } from "./options.ts";

/** The oldest version whose flags and event stream this runner knows. */
export const oldestVersion = "0.171.0";

/** Finds Codex, asks for its version, and refuses what would fail later without a word. */
export async function probeCodex(options: CodexOptions, context: ProbeContext): Promise<ToolFacts> {
  const program = await findCodex(options, context);
  await refuseTemporaryHome(hostHome(options, context) ?? context.scratch, context);
  const version = await versionOf(program, context);
  if (isOlder(version, oldestVersion)) {
    throw new AssayError(
      "ASSAY_TOOL_VERSION_TOO_OLD",
      `Codex CLI ${version} at "${options.codexBin}" is older than ${oldestVersion}, the oldest version accepted`,
      { remedy: `Install @openai/codex ${oldestVersion} or later.` },
    );
  }
  return { version, resolved: await contentFacts(program, options, context), observed: { program } };
}

export async function findCodex(
  { codexBin }: Pick<CodexOptions, "codexBin">,
  { process, baseDir }: Pick<ProbeContext, "process" | "baseDir">,
): Promise<string> {
  const program = await process.find(codexBin, { cwd: baseDir });
  if (program !== null) return program;
  const where = codexBin.includes("/") ? "does not exist or cannot be run" : "was not found on PATH";
  throw new AssayError("ASSAY_TOOL_NOT_FOUND", `Codex CLI executable '${codexBin}' ${where}`, {
    remedy: "Install it with `npm install -g @openai/codex`, or set the option codex_bin.",
  });
}

async function versionOf(program: string, { process, files, scratch, signal }: ProbeContext): Promise<string> {
  const home = path.join(scratch, "probe-codex");
  await files.makePrivateDirectory(path.join(home, "codex-home"));
  const result = await process.run({
    argv: [program, "--version"],
    cwd: home,
    env: { ...process.baseEnv(), HOME: home, CODEX_HOME: path.join(home, "codex-home") },
    timeoutMs: 30_000,
    signal,
  });
  const version = result.ending === "exited" && result.exitCode === 0 ? parseVersion(result.stdout.text) : null;
  if (version !== null) return version;
  const said = (result.stderr.text || result.stdout.text || result.spawnError || result.ending).trim().slice(0, 300);
  throw new AssayError("ASSAY_TOOL_UNUSABLE", `"${program} --version" did not give a version: ${said}`, {
    remedy: "Check that this is the Codex CLI and that it starts.",
  });
}

/** Digests of what shapes results: the program's file, and the files of a given home that Codex reads. */
async function contentFacts(program: string, options: CodexOptions, context: ProbeContext): Promise<JsonObject> {
  const facts: Record<string, string> = {
    program_sha256: (await fileDigest(await context.files.realPath(program), context)) ?? "unreadable",
  };
  const home = hostHome(options, context);
  if (home === null) return facts;
  const instructions = await fileDigest(path.join(home, "AGENTS.md"), context);
  return instructions === null ? facts : { ...facts, home_instructions_sha256: instructions };
}

async function fileDigest(file: string, { files }: Pick<ProbeContext, "files">): Promise<string | null> {
  if ((await files.stat(file))?.kind !== "file") return null;
  const hash = createHash("sha256");
  for await (const chunk of files.readChunks(file)) hash.update(chunk);
  return hash.digest("hex");
}
