import path from "node:path";

import type { ProcessResult } from "../../contracts/process.ts";
import type { ProbeContext, ToolFacts } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { JsonObject } from "../../support/json.ts";
import { isOlder, parseVersion } from "../../support/versions.ts";
import { checkHome, hostHome } from "./home.ts";
import { fileDigest, homeDigest, loginSecrets } from "./home-contents.ts";
import { codexInvocation } from "./invocation.ts";
import type { CodexOptions } from "./options.ts";

/** The oldest version whose flags, event stream and failures this runner was tested with. */
const oldestVersion = "0.123.0";

/** Finds Codex, asks for its version, and refuses what would fail in every trial, or fail without a word. */
export async function probeCodex(options: CodexOptions, context: ProbeContext): Promise<ToolFacts> {
  const program = await findCodex(options, context);
  const home = hostHome(options, context);
  await checkHome(home, context);
  checkOverrides(options, context);
  const ask = await questions(program, options, context);
  const version = versionIn(await ask("--version"), program);
  refuseOld(version, options);
  if (options.sandbox !== "danger-full-access") await checkSandbox(options, ask);
  const { process, files } = context;
  return {
    version,
    resolved: await contentFacts(program, home, context),
    observed: {
      program,
      codex_home: home,
      inherited_env: inheritedEnv(options, process.baseEnv(options.inheritEnv)),
    },
    ...(home === null ? {} : { secrets: await loginSecrets(home, files) }),
  };
}

export async function findCodex(
  { codexBin }: Pick<CodexOptions, "codexBin">,
  { process, baseDir }: Pick<ProbeContext, "process" | "baseDir">,
): Promise<string> {
  const program = await process.find(codexBin, { cwd: baseDir });
  if (program !== null) return program;
  const where = codexBin.includes("/")
    ? "does not exist or cannot be run"
    : "was not found on PATH";
  throw new AssayError("ASSAY_TOOL_NOT_FOUND", `Codex CLI executable '${codexBin}' ${where}`, {
    remedy: "Install it with `npm install -g @openai/codex`, or set the option codex_bin.",
  });
}

/** A variable that is not there must not be found out trial by trial. */
function checkOverrides(options: CodexOptions, { process, secrets, scratch }: ProbeContext): void {
  codexInvocation({
    program: options.codexBin,
    options,
    places: { directory: scratch, workspace: scratch, home: scratch },
    baseEnv: process.baseEnv(options.inheritEnv),
    secrets,
  });
}

type Ask = (...args: string[]) => Promise<ProcessResult>;

/** Starts Codex as trials do, in a private home: even `--version` writes to it. */
async function questions(
  program: string,
  options: CodexOptions,
  { process, files, scratch, signal }: ProbeContext,
): Promise<Ask> {
  const home = path.join(scratch, "codex-probe");
  const codexHome = path.join(home, "codex-home");
  await files.makePrivateDirectory(home);
  await files.makePrivateDirectory(codexHome);
  const given = { ...process.baseEnv(options.inheritEnv), ...options.env };
  const env = { ...given, HOME: home, CODEX_HOME: codexHome };
  return async (...args) => {
    const argv: [string, ...string[]] = [program, ...args];
    const result = await process.run({ argv, cwd: home, env, timeoutMs: 30_000, signal });
    if (result.ending === "cancelled") {
      throw new AssayError("ASSAY_CANCELLED", "cancelled while Codex was being looked at");
    }
    return result;
  };
}

function versionIn(result: ProcessResult, program: string): string {
  const isGood = result.ending === "exited" && result.exitCode === 0;
  const version = isGood ? parseVersion(result.stdout.text) : null;
  if (version !== null) return version;
  const problem = `"${program} --version" did not give a version: ${saidBy(result)}`;
  throw new AssayError("ASSAY_TOOL_UNUSABLE", problem, {
    remedy: "Check that this is the Codex CLI and that it starts.",
  });
}

function refuseOld(version: string, { codexBin }: CodexOptions): void {
  if (!isOlder(version, oldestVersion)) return;
  throw new AssayError(
    "ASSAY_TOOL_VERSION_TOO_OLD",
    `Codex CLI ${version} at "${codexBin}" is older than ${oldestVersion}, the oldest version accepted`,
    { remedy: `Install @openai/codex ${oldestVersion} or later.` },
  );
}

/** Where the system allows no sandbox, every command of the agent fails, and Codex still exits 0. */
async function checkSandbox({ sandbox }: CodexOptions, ask: Ask): Promise<void> {
  const result = await ask("sandbox", "-c", `sandbox_mode="${sandbox}"`, "--", "true");
  const isUsageProblem = result.exitCode === 2;
  if (result.exitCode === 0 || isUsageProblem) return;
  throw new AssayError(
    "ASSAY_TOOL_UNUSABLE",
    `Codex's sandbox "${sandbox}" does not work on this system: ${saidBy(result)}`,
    {
      remedy:
        'Allow user namespaces here, or set sandbox: "danger-full-access" in a container that is a boundary itself.',
    },
  );
}

function saidBy({ stdout, stderr, spawnError, ending }: ProcessResult): string {
  return (stderr.text.trim() || stdout.text.trim() || spawnError || ending).slice(0, 300);
}

/** Digests of what shapes results: the program's file, and what Codex reads of a home that is not private. */
async function contentFacts(
  program: string,
  home: string | null,
  { files }: ProbeContext,
): Promise<JsonObject> {
  const programDigest = await fileDigest(await files.realPath(program), files);
  const digest = home === null ? null : await homeDigest(home, files);
  return {
    program_sha256: programDigest ?? "unreadable",
    ...(digest === null ? {} : { codex_home_sha256: digest }),
  };
}

/** What the host gave: not digested, since an address may change from run to run, but told. */
function inheritedEnv(
  { inheritEnv }: CodexOptions,
  env: Readonly<Record<string, string>>,
): JsonObject {
  return Object.fromEntries(inheritEnv.map((name) => [name, env[name] ?? null]));
}
