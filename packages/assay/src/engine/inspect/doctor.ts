import type { ProbeContext } from "../../contracts/runner.ts";
import { AssayError, describeThrown } from "../../errors/assay-error.ts";
import type { RunnerMap } from "../../runners/map.ts";
import { RunSandboxes } from "../../sandbox/run-sandboxes.ts";
import { newToken } from "../../support/ids.ts";
import { parseVersion } from "../../support/versions.ts";
import type { Platform } from "../platform.ts";
import { redactText } from "../redact-text.ts";

export interface DoctorReport {
  readonly assay: string;
  readonly node: string;
  readonly system: string;
  /** The place for scratch directories, then programs. */
  readonly tools: readonly Finding[];
  readonly runners: readonly Finding[];
  /** Names of variables asked for that are not set. */
  readonly missingVariables: readonly string[];
}

export interface Finding {
  readonly name: string;
  readonly state: "ok" | "missing" | "unusable";
  readonly version: string | null;
  /** What is wrong, and what to do. */
  readonly problem: string | null;
  readonly remedy: string | null;
}

const tools: readonly {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  readonly remedy: string;
}[] = [
  {
    name: "git",
    argv: ["git", "--version"],
    remedy: "Install git, so that runs can record the commit.",
  },
];

const dockerRemedy =
  "Install and start a Docker engine, and check DOCKER_HOST and `docker info`; only runners with containers need it.";

/** What is installed here: tools, versions, what each runner misses. Nothing is run but version questions. */
export async function doctor(
  platform: Platform,
  runners: RunnerMap,
  variables: readonly string[] = [],
): Promise<DoctorReport> {
  const token = newToken();
  const scratch = await platform.createScratch({ token, runId: "doctor" }).catch(unusable);
  try {
    const hasScratch = "path" in scratch;
    const place = hasScratch ? scratch.path : platform.cwd;
    const context = probeContext(platform, { token, scratch: place });
    const found: Finding[] = [hasScratch ? ok(scratchName) : scratch];
    for (const tool of tools) found.push(await checkTool(tool, context));
    found.push(await checkDocker(context));
    const usable: Finding[] = [];
    for (const name of Object.keys(runners))
      usable.push(await checkRunner(name, runners, hasScratch ? context : null));
    const { host, env } = platform;
    // What a tool says about why it cannot be used may hold anything.
    const shown = async (finding: Finding): Promise<Finding> => ({
      ...finding,
      problem: finding.problem === null ? null : await redactText(finding.problem, env),
    });
    return {
      assay: platform.assayVersion,
      node: host.nodeVersion,
      system: `${host.os} ${host.osRelease} ${host.architecture}, ${host.cpuCount} processors`,
      tools: await Promise.all(found.map(shown)),
      runners: await Promise.all(usable.map(shown)),
      missingVariables: variables.filter((name) => (platform.env[name] ?? "") === ""),
    };
  } finally {
    if ("path" in scratch) await scratch.remove();
  }
}

const scratchName = "scratch directory";

function ok(name: string): Finding {
  return { name, state: "ok", version: null, problem: null, remedy: null };
}

function unusable(thrown: unknown): Finding {
  if (!AssayError.isInstance(thrown)) throw thrown;
  const { message: problem, remedy } = thrown;
  return { ...ok(scratchName), state: "unusable", problem, remedy };
}

function probeContext(
  platform: Platform,
  { token, scratch }: { readonly token: string; readonly scratch: string },
): ProbeContext {
  const silent = () => {};
  const process = platform.process(token);
  return {
    baseDir: platform.cwd,
    process,
    sandboxes: new RunSandboxes({ ...platform, process, scratch, runId: "doctor", token }),
    files: platform.files,
    signal: new AbortController().signal,
    log: { debug: silent, info: silent, warn: silent, error: silent },
    secrets: {},
    scratch,
  };
}

async function checkTool(
  { name, argv, remedy }: (typeof tools)[number],
  { process, scratch }: ProbeContext,
): Promise<Finding> {
  const program = await process.find(argv[0]);
  if (program === null)
    return { name, state: "missing", version: null, problem: `${argv[0]} is not on PATH`, remedy };
  const env = { ...process.baseEnv(["HOME"]) };
  const result = await process.run({
    argv: [program, ...argv.slice(1)],
    cwd: scratch,
    env,
    timeoutMs: 10_000,
  });
  if (result.ending === "exited" && result.exitCode === 0) {
    return { ...ok(name), version: parseVersion(result.stdout.text) };
  }
  const said =
    (result.stderr.text || result.spawnError || result.ending).trim().split("\n")[0] ?? "";
  return { name, state: "unusable", version: null, problem: said, remedy };
}

async function checkDocker({ sandboxes, baseDir }: ProbeContext): Promise<Finding> {
  const name = "docker";
  try {
    const { client, version } = await (
      await sandboxes.docker({ program: "docker", baseDir })
    ).facts();
    // The engine's version, then the front end that was asked.
    return { ...ok(name), version: `${version} (${client})` };
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
    const state = thrown.code === "ASSAY_TOOL_NOT_FOUND" ? "missing" : "unusable";
    return { ...ok(name), state, problem: thrown.message, remedy: dockerRemedy };
  }
}

/** Without a scratch directory no run can be made, and no tool can be asked. */
async function checkRunner(
  name: string,
  runners: RunnerMap,
  context: ProbeContext | null,
): Promise<Finding> {
  if (context === null)
    return { ...ok(name), state: "unusable", problem: "it needs a scratch directory" };
  const { definition, fromConfig } = (await runners[name]?.()) ?? {};
  if (definition === undefined || fromConfig === undefined || definition.needs.length === 0)
    return ok(name);
  try {
    const version =
      definition.findNeeds === undefined
        ? (await fromConfig({}).probe?.(context))?.version
        : await definition.findNeeds(context);
    return { ...ok(name), version: version ?? null };
  } catch (thrown) {
    if (!AssayError.isInstance(thrown))
      return { ...ok(name), state: "unusable", problem: describeThrown(thrown) };
    const state = thrown.code === "ASSAY_TOOL_NOT_FOUND" ? "missing" : "unusable";
    return { ...ok(name), state, problem: thrown.message, remedy: thrown.remedy };
  }
}
