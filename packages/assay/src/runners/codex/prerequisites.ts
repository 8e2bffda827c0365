import type { ProbeContext, ToolFacts } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { JsonObject } from "../../support/json.ts";
import { isOlder, parseVersion } from "../../support/versions.ts";
import { checkHome, hostHome } from "./home.ts";
import { fileDigest, homeDigest, loginSecrets } from "./home-contents.ts";
import { codexInvocation } from "./invocation.ts";
import type { CodexOptions } from "./options.ts";
import { type Answer, type Ask, askCodex } from "./questions.ts";

/** The oldest version whose flags, event stream and failures this runner was tested with. */
const oldestVersion = "0.123.0";
/** How Codex ends when it does not know the words of a command line. */
const usageExitCode = 2;

/** Finds Codex, asks for its version, and refuses what would fail in every trial, or fail without a word. */
export async function probeCodex(options: CodexOptions, context: ProbeContext): Promise<ToolFacts> {
  const program = await findCodex(options, context);
  const home = hostHome(options, context);
  await checkHome(home, context);
  const settings = settingsOf(options, context);
  const ask = await askCodex(program, options, context);
  const version = versionIn(await ask("--version"), program);
  refuseOld(version, options);
  await checkSettings(settings, options, ask);
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

/** The settings of every trial. Throws for a variable that nobody set, which is not to be found out trial by trial. */
function settingsOf(
  options: CodexOptions,
  { process, secrets, scratch }: ProbeContext,
): readonly string[] {
  return codexInvocation({
    program: options.codexBin,
    options,
    places: { directory: scratch, workspace: scratch, home: scratch },
    baseEnv: process.baseEnv(options.inheritEnv),
    secrets,
  }).settings;
}

function versionIn({ isGood, stdout, complaint }: Answer, program: string): string {
  const version = isGood ? parseVersion(stdout) : null;
  if (version !== null) return version;
  const problem = `"${program} --version" did not give a version: ${complaint}`;
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

/**
 * Lets Codex run `true` as an agent's command would be run. Where the system allows no sandbox, every command of the
 * agent fails, and Codex still exits 0; settings that it does not take would fail every trial.
 */
async function checkSettings(
  settings: readonly string[],
  { sandbox }: CodexOptions,
  ask: Ask,
): Promise<void> {
  const runTrue = (mode: CodexOptions["sandbox"]) =>
    ask("sandbox", ...settings, "-c", `sandbox_mode="${mode}"`, "--", "true");
  const answer = await runTrue(sandbox);
  if (answer.isGood || answer.exitCode === usageExitCode) return;
  const isOff = sandbox === "danger-full-access";
  const unsandboxed = isOff ? answer : await runTrue("danger-full-access");
  if (!unsandboxed.isGood) {
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      `Codex does not take its settings: ${unsandboxed.complaint}`,
      { remedy: "Mend the option config_overrides." },
    );
  }
  throw new AssayError(
    "ASSAY_TOOL_UNUSABLE",
    `Codex's sandbox "${sandbox}" does not work on this system: ${answer.complaint}`,
    {
      remedy:
        'Allow user namespaces here, or set sandbox: "danger-full-access" in a container that is a boundary itself.',
    },
  );
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
