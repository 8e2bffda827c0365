import path from "node:path";

import type { ProcessResult } from "../../contracts/process.ts";
import type { ProbeContext, ToolFacts } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { sha256Hex } from "../../support/digest.ts";
import type { JsonObject } from "../../support/json.ts";
import { isOlder, parseVersion } from "../../support/versions.ts";
import { directoryDigest } from "./directory-digest.ts";
import { harborEnv, hostNames } from "./invocation.ts";
import { type HarborOptions, modeOf } from "./options.ts";
import { requireDirectory } from "./require-directory.ts";

/** The oldest version that takes the configuration that is written for it. */
const oldestVersion = "0.16.0";
/** It imports much before it answers. */
const questionTimeoutMs = 120_000;

/** Finds Harbor and what its environments need, or the job that was given. */
export async function probeHarbor(
  options: HarborOptions,
  context: ProbeContext,
): Promise<ToolFacts> {
  const mode = modeOf(options);
  if (mode === "native") return await probeNative(options, context);
  if (mode === "injected") return { version: null, resolved: {} };
  return { version: null, resolved: { job_sha256: await jobDigest(options, context) } };
}

async function probeNative(options: HarborOptions, context: ProbeContext): Promise<ToolFacts> {
  const secrets = agentVariables(options, context);
  const program = await findHarbor(options, context);
  const version = await askVersion(program, options, context);
  const isDocker = options.environmentType === "docker";
  const docker = isDocker ? await askDocker(options, context) : {};
  const agentDir = agentDirOf(options, context);
  if (agentDir !== null)
    await requireDirectory(agentDir, "harbor: agent_dir", {
      files: context.files,
      code: "ASSAY_CONFIG_INVALID",
    });
  const digest = agentDir === null ? null : await directoryDigest(agentDir, context.files);
  return {
    version,
    resolved: digest === null ? {} : { agent_dir_sha256: digest },
    observed: { program, ...docker },
    secrets,
  };
}

/** What the agent is given of the host is as secret as what was declared. Throws for a name that nobody set. */
function agentVariables(
  { agentEnvFromHost }: HarborOptions,
  { process, secrets }: ProbeContext,
): Record<string, string> {
  const host = process.baseEnv(agentEnvFromHost);
  const missing = agentEnvFromHost.filter((name) => ((secrets[name] ?? host[name]) || "") === "");
  if (missing.length > 0)
    throw new AssayError(
      "ASSAY_SECRET_MISSING",
      `harbor: agent_env_from_host names ${missing.join(", ")}, and the environment has none of that name`,
      { data: { names: missing } },
    );
  const found = agentEnvFromHost.map((name) => [name, secrets[name] ?? host[name] ?? ""] as const);
  return Object.fromEntries(found);
}

export async function findHarbor(
  { harborBin }: Pick<HarborOptions, "harborBin">,
  { process, baseDir }: Pick<ProbeContext, "process" | "baseDir">,
): Promise<string> {
  const program = await process.find(harborBin, { cwd: baseDir });
  if (program !== null) return program;
  const where = harborBin.includes("/")
    ? "does not exist or cannot be run"
    : "was not found on PATH";
  throw new AssayError("ASSAY_TOOL_NOT_FOUND", `Harbor's command '${harborBin}' ${where}`, {
    remedy:
      "Install it for Python 3.12 or later: `uv tool install harbor` or `pip install harbor`; or set the option harbor_bin.",
  });
}

export function agentDirOf(
  { agentDir }: Pick<HarborOptions, "agentDir">,
  { baseDir }: Pick<ProbeContext, "baseDir">,
): string | null {
  return agentDir === null ? null : path.resolve(baseDir, agentDir);
}

type Asker = Pick<ProbeContext, "process" | "scratch" | "signal" | "secrets" | "baseDir">;

async function ask(
  argv: readonly [string, ...string[]],
  options: Pick<HarborOptions, "agentEnvFromHost" | "inheritEnv">,
  { process, scratch, signal }: Asker,
): Promise<ProcessResult> {
  const host = process.baseEnv(hostNames(options));
  const env = harborEnv({
    options,
    host,
    secrets: {},
    agentDir: null,
    home: scratch,
    temporary: scratch,
  });
  return await process.run({ argv, cwd: scratch, env, timeoutMs: questionTimeoutMs, signal });
}

async function askVersion(
  program: string,
  options: Pick<HarborOptions, "agentEnvFromHost" | "inheritEnv">,
  context: Asker,
): Promise<string> {
  const result = await ask([program, "--version"], options, context);
  const version = result.exitCode === 0 ? parseVersion(result.stdout.text) : null;
  if (version === null)
    throw new AssayError(
      "ASSAY_TOOL_UNUSABLE",
      `"${program} --version" did not give a version: ${complaintOf(result)}`,
      { remedy: "Check that this is Harbor and that it starts." },
    );
  if (isOlder(version, oldestVersion))
    throw new AssayError(
      "ASSAY_TOOL_VERSION_TOO_OLD",
      `Harbor ${version} at "${program}" is older than ${oldestVersion}, the oldest version accepted`,
      { remedy: `Install harbor ${oldestVersion} or later.` },
    );
  return version;
}

/** Harbor's docker environment is Compose v2's. */
async function askDocker(
  options: Pick<HarborOptions, "agentEnvFromHost" | "inheritEnv">,
  context: Asker,
): Promise<JsonObject> {
  const docker = await context.process.find("docker");
  if (docker === null)
    throw new AssayError(
      "ASSAY_TOOL_NOT_FOUND",
      "Docker executable 'docker' was not found on PATH: Harbor runs agents in it",
      { remedy: "Install Docker with its Compose plugin, v2." },
    );
  const [compose, engine] = await Promise.all([
    ask([docker, "compose", "version", "--short"], options, context),
    ask([docker, "version", "--format", "{{.Server.Version}}"], options, context),
  ]);
  const version = compose.exitCode === 0 ? parseVersion(compose.stdout.text) : null;
  if (version === null || isOlder(version, "2.0.0"))
    throw new AssayError(
      "ASSAY_TOOL_UNUSABLE",
      `Harbor needs Docker Compose v2, and \`docker compose version\` gives ${version ?? `none: ${complaintOf(compose)}`}`,
      {
        remedy:
          "Install the Compose plugin of Docker: package docker-compose-plugin or docker-compose-v2.",
      },
    );
  if (engine.exitCode !== 0)
    throw new AssayError(
      "ASSAY_TOOL_UNUSABLE",
      `no Docker engine answers: ${complaintOf(engine)}`,
      {
        remedy: "Start the engine, or set DOCKER_HOST to where it is.",
      },
    );
  return { compose: version, engine: parseVersion(engine.stdout.text) };
}

/** Without the help that docker puts below. */
function complaintOf({ stderr, stdout, spawnError, ending }: ProcessResult): string {
  const text = spawnError ?? (stderr.text.trim() || stdout.text.trim() || ending);
  const [complaint = ""] = text.trim().split(/\n\s*\n/);
  return complaint.slice(-500);
}

/** What `assay doctor` asks. */
export async function findNeeds(context: ProbeContext): Promise<string | null> {
  const options = { agentEnvFromHost: [], inheritEnv: [] };
  const program = await findHarbor({ harborBin: "harbor" }, context);
  const version = await askVersion(program, options, context);
  try {
    await askDocker(options, context);
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
    const { code, message, remedy, data, cause } = thrown;
    throw new AssayError(code, `Harbor ${version} is here, and ${message}`, {
      remedy,
      data,
      cause,
    });
  }
  return version;
}

/** What the trials are made of: the results, each with its folder. */
async function jobDigest(
  options: HarborOptions,
  { files, baseDir }: ProbeContext,
): Promise<string> {
  const directory = path.resolve(baseDir, options.jobDir ?? "");
  await requireDirectory(directory, "harbor: job_dir", { files, code: "ASSAY_FILE_UNREADABLE" });
  const lines: string[] = [];
  for (const name of [...(await files.list(directory))].sort()) {
    const folder = path.join(directory, name);
    const file = path.join(folder, "result.json");
    if ((await files.stat(folder))?.kind !== "directory") continue;
    if ((await files.stat(file))?.kind !== "file") continue;
    lines.push(`${JSON.stringify(name)} ${sha256Hex(await files.readRegular(file))}`);
  }
  return sha256Hex(lines.join("\n"));
}
