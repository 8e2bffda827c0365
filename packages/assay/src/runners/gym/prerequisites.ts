import path from "node:path";

import type { ProcessResult } from "../../contracts/process.ts";
import type { ProbeContext, ToolFacts } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { cutText } from "../../support/cut-text.ts";
import { sha256Hex } from "../../support/digest.ts";
import { getOwn, type JsonObject } from "../../support/json.ts";
import { isOlder, parseVersion } from "../../support/versions.ts";
import { type EnvYaml, readEnvYaml } from "./env-yaml.ts";
import {
  type Argv,
  type GymPlaces,
  gymEnvironment,
  refuseSecrets,
  selection,
  withRunFolder,
} from "./invocation.ts";
import type { GymOptions } from "./options.ts";
import { refuseUsedFolder } from "./work-folder.ts";

/** The oldest version with the one `gym` command; those before have other programs. */
const oldestVersion = "0.4.0";
const versionTimeoutMs = 60_000;
/** It loads all of Gym; on a busy machine that takes half a minute. */
const validateTimeoutMs = 120_000;

/** What of the options it takes to ask Gym anything. */
type AskOptions = Pick<GymOptions, "inheritEnv" | "envVars">;

const howToInstall =
  "Install it with `pip install nemo-gym uv` in an environment of its own, put its bin folder on PATH, or set gym_bin.";

/** Finds Gym, asks for its version, and has it check its configuration; nothing of it is started. */
export async function probeGym(options: GymOptions, context: ProbeContext): Promise<ToolFacts> {
  checkRepeats(options, context.trialsPerTask ?? null);
  checkSecret(options, context);
  await refuseUsedFolder(options, context);
  await headServerPort(options, context);
  const program = await findGym(options, context);
  const { version, packages } = await askVersion(program, options, context);
  if (isOlder(version, oldestVersion)) {
    throw new AssayError(
      "ASSAY_TOOL_VERSION_TOO_OLD",
      `NeMo Gym ${version} at "${options.gymBin}" is older than ${oldestVersion}, the oldest version accepted`,
      { remedy: `Install nemo-gym ${oldestVersion} or later.` },
    );
  }
  await findUv(program, options, context);
  const folder = path.join(context.scratch, "gym-probe");
  await context.files.makePrivateDirectory(folder);
  const places = await gymPlaces(options, { program, ownCwd: folder }, context);
  const envYaml = await readEnvYaml(places.cwd, context.files);
  await validate(places, options, context, folder);
  return {
    version,
    resolved: { ...packages, ...(await contentFacts(places, envYaml, context)) },
    observed: { program, policy_base_url: envYaml?.baseUrl ?? options.modelUrl },
    secrets: envYaml?.secrets ?? {},
  };
}

/** The repeat count is the run's own; another one is told before anything is started. */
export function checkRepeats({ numRepeats }: GymOptions, trialsPerTask: number | null): void {
  if (numRepeats === null || trialsPerTask === null || numRepeats === trialsPerTask) return;
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    `gym: num_repeats is ${numRepeats}, but the run has ${trialsPerTask} trials per task`,
    { remedy: "Leave num_repeats out: the number of trials per task is taken." },
  );
}

function checkSecret({ apiKeySecret }: GymOptions, { secrets }: ProbeContext): void {
  if (apiKeySecret === null || Object.hasOwn(secrets, apiKeySecret)) return;
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    `gym: api_key_secret names "${apiKeySecret}", which is no declared secret`,
    { remedy: "Declare it in `secrets` of the suite." },
  );
}

/** The port for Gym's head server. Where another server answers there, Gym would take it for its own. */
export async function headServerPort(
  { headServerPort: wanted }: Pick<GymOptions, "headServerPort">,
  { process }: Pick<ProbeContext, "process">,
): Promise<number> {
  const port = await process.freePort(wanted ?? undefined);
  if (port !== null) return port;
  throw new AssayError("ASSAY_TOOL_UNUSABLE", `port ${wanted} for Gym's head server is taken`, {
    remedy: "End what listens there, or leave head_server_port out: a free port is taken.",
  });
}

/** What `assay doctor` asks: where Gym is and which version; without the settings there is nothing to check. */
export async function findGymVersion(context: ProbeContext): Promise<string | null> {
  const options = { gymBin: "gym", inheritEnv: [], envVars: {} };
  const program = await findGym(options, context);
  const { version } = await askVersion(program, options, context);
  await findUv(program, options, context);
  return version;
}

/** Gym has uv make an environment for each of its servers, by its name, so each would end without it. */
async function findUv(program: string, options: AskOptions, context: ProbeContext): Promise<void> {
  const { PATH = "" } = environmentOf(program, options, context);
  if ((await context.process.find("uv", { path: PATH, cwd: context.baseDir })) !== null) return;
  throw new AssayError(
    "ASSAY_TOOL_NOT_FOUND",
    `NeMo Gym needs 'uv', which is neither in "${path.dirname(program)}" nor on PATH`,
    { remedy: "Install it with `pip install uv` in the environment of NeMo Gym." },
  );
}

export async function findGym(
  { gymBin }: Pick<GymOptions, "gymBin">,
  { process, baseDir }: Pick<ProbeContext, "process" | "baseDir">,
): Promise<string> {
  const program = await process.find(gymBin, { cwd: baseDir });
  if (program !== null) return program;
  const where = gymBin.includes("/") ? "does not exist or cannot be run" : "was not found on PATH";
  throw new AssayError("ASSAY_TOOL_NOT_FOUND", `NeMo Gym's command '${gymBin}' ${where}`, {
    remedy: howToInstall,
  });
}

export async function gymPlaces(
  { agentConfig, gymRoot, hydraParams }: GymOptions,
  { program, ownCwd }: { readonly program: string; readonly ownCwd: string },
  { baseDir, files, process }: Pick<ProbeContext, "baseDir" | "files" | "process">,
): Promise<GymPlaces> {
  const cwd = gymRoot === null ? ownCwd : path.resolve(baseDir, gymRoot);
  if ((await files.stat(cwd)) === null) {
    throw new AssayError("ASSAY_CONFIG_INVALID", `gym: gym_root: there is no folder "${gymRoot}"`);
  }
  const { HOME = "/", XDG_CACHE_HOME = path.join(HOME, ".cache") } = process.baseEnv([
    "HOME",
    "XDG_CACHE_HOME",
  ]);
  const isCacheLost = gymRoot === null && getOwn(hydraParams, "uv_cache_dir") === undefined;
  return {
    program,
    cwd,
    agentConfig: agentConfig === null ? null : await localFile(agentConfig, { baseDir, files }),
    uvCache: isCacheLost ? path.join(XDG_CACHE_HOME, "uv") : null,
  };
}

/** A file of the suite by its whole path; anything else is left to Gym, which knows its own. */
async function localFile(
  name: string,
  { baseDir, files }: Pick<ProbeContext, "baseDir" | "files">,
): Promise<string> {
  const file = path.resolve(baseDir, name);
  return (await files.stat(file)) === null ? name : file;
}

async function askVersion(program: string, options: AskOptions, context: ProbeContext) {
  const result = await ask([program, "--version"], options, context, {
    cwd: context.scratch,
    timeoutMs: versionTimeoutMs,
  });
  const said = result.stdout.text;
  const version = result.exitCode === 0 ? parseVersion(said) : null;
  if (version === null) {
    throw new AssayError(
      "ASSAY_TOOL_UNUSABLE",
      `"${program} --version" did not give a version: ${complaintOf(result, context)}`,
      { remedy: `Check that this is NeMo Gym and that it starts. ${howToInstall}` },
    );
  }
  return { version, packages: packagesIn(said) };
}

/** What it says of its interpreter and of the packages that matter; each shapes what it does. */
function packagesIn(said: string): JsonObject {
  const named = { python: /^Python (\S+)/m, openai: /^\s*openai: (\S+)/m, ray: /^\s*ray: (\S+)/m };
  const found = Object.entries(named).flatMap(([name, pattern]) => {
    const version = pattern.exec(said)?.[1];
    return version === undefined ? [] : [[name, version] as const];
  });
  return Object.fromEntries(found);
}

/** A wrong name, a file that is not there, a value that is not set: Gym tells without a server. */
async function validate(
  places: GymPlaces,
  options: GymOptions,
  context: ProbeContext,
  folder: string,
): Promise<void> {
  const argv = withRunFolder(selection(places, "validate", options), path.join(folder, "hydra"));
  refuseSecrets(argv, context.secrets);
  const { cwd } = places;
  const result = await ask(argv, options, context, { cwd, timeoutMs: validateTimeoutMs });
  if (result.ending === "exited" && result.exitCode === 0) return;
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    `Gym does not take its configuration: ${complaintOf(result, context)}`,
    { remedy: "Mend what Gym names in the options of the target or in env.yaml of gym_root." },
  );
}

async function ask(
  argv: Argv,
  options: AskOptions,
  context: ProbeContext,
  { cwd, timeoutMs }: { readonly cwd: string; readonly timeoutMs: number },
): Promise<ProcessResult> {
  const { process, signal } = context;
  const env = environmentOf(argv[0], options, context);
  const result = await process.run({ argv, cwd, env, timeoutMs, signal });
  if (result.ending === "cancelled")
    throw new AssayError("ASSAY_CANCELLED", "cancelled while NeMo Gym was being looked at");
  return result;
}

function environmentOf(
  program: string,
  options: AskOptions,
  { process, secrets }: Pick<ProbeContext, "process" | "secrets">,
): Readonly<Record<string, string>> {
  const baseEnv = process.baseEnv(["HOME", ...options.inheritEnv]);
  return gymEnvironment({ options, baseEnv, secrets, program });
}

/** The end of what it said: Python tells the reason last. */
function complaintOf(
  { ending, stdout, stderr, spawnError }: ProcessResult,
  { secrets }: Pick<ProbeContext, "secrets">,
): string {
  const said = [stdout.text, stderr.text].map((text) => text.trim()).filter((text) => text !== "");
  const whole = said.join("\n") || spawnError || ending;
  const hidden = Object.entries(secrets).reduce(
    (text, [name, value]) => text.replaceAll(value, `<${name}>`),
    whole,
  );
  const lines = hidden.split("\n").slice(-20);
  return cutText(lines.join("\n"), 2000);
}

/** What has content: a configuration of the suite's own, and what env.yaml sets beside credentials. */
async function contentFacts(
  { agentConfig }: GymPlaces,
  envYaml: EnvYaml | null,
  { files }: ProbeContext,
): Promise<JsonObject> {
  const isOwn = agentConfig !== null && path.isAbsolute(agentConfig);
  return {
    ...(isOwn ? { agent_config_sha256: sha256Hex(await files.readBytes(agentConfig)) } : {}),
    ...(envYaml === null ? {} : { env_yaml: envYaml.settings }),
  };
}
