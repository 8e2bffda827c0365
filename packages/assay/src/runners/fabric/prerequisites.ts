import path from "node:path";

import type { ProbeContext, ToolFacts } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { processMarkVariable, runMarkVariable } from "../../platform/process/process-marks.ts";
import { sha256HexOf } from "../../support/digest.ts";
import { newToken } from "../../support/ids.ts";
import type { JsonObject } from "../../support/json.ts";
import type { FabricAgentOptions } from "./agent-options.ts";
import { factsOf } from "./ask-driver.ts";
import { composeConfig, isCapturing } from "./config.ts";
import { baseDirOf, driverFile, findPython, hostEnvironment } from "./host.ts";
import { formatOrder } from "./invocation.ts";
import { type DriverFacts, DriverReader, maxMessageBytes } from "./messages.ts";
import type { FabricOptions } from "./options.ts";
import { digestSkills } from "./skills.ts";

const probeTimeoutMs = 120_000;
export const hostMarks = [runMarkVariable, processMarkVariable] as const;

/** Finds the interpreter, asks Fabric to plan what trials will run, and refuses what would fail in every one of them. */
export async function probeFabric(
  options: FabricOptions,
  context: ProbeContext,
): Promise<ToolFacts> {
  const python = await findPython(options, context);
  const skills = await digestSkills(options.skills, context);
  const places = {
    workspace: path.join(context.scratch, "fabric-probe", "workspace"),
    artifacts: path.join(context.scratch, "fabric-probe", "artifacts"),
    relay: path.join(context.scratch, "fabric-probe", "relay"),
    skills: options.skills.map(({ name }) => path.join(context.scratch, "skill", name)),
    marks: hostMarks,
  };
  const config = composeConfig(options, places, "probe");
  const facts = await askHostDriver({ python, config, options }, context);
  checkPlan(facts, options);
  return {
    version: facts.nemo_fabric,
    resolved: await resolvedFacts(facts, skills, context),
    observed: { program: python, adapter_id: facts.plan?.adapter_id ?? null },
  };
}

/** For `assay doctor`: the interpreter on PATH and its package, with no configuration. */
export async function findFabric(context: ProbeContext): Promise<string | null> {
  const python = await findPython({ python: "python3" }, context);
  const options = { env: {}, inheritEnv: [], baseDir: null };
  const facts = await askHostDriver({ python, config: null, options }, context);
  return facts.nemo_fabric;
}

async function askHostDriver(
  {
    python,
    config,
    options,
  }: {
    readonly python: string;
    readonly config: JsonObject | null;
    readonly options: Pick<FabricOptions, "env" | "inheritEnv" | "baseDir">;
  },
  { process, files, scratch, baseDir, secrets, signal }: ProbeContext,
): Promise<DriverFacts> {
  const home = path.join(scratch, "fabric-probe");
  await files.makePrivateDirectory(home);
  const token = newToken();
  const reader = new DriverReader(token);
  const result = await process.run({
    argv: [python, driverFile],
    cwd: home,
    env: { ...hostEnvironment(options, { home, temporary: home }, process), ...secrets },
    stdin: formatOrder({
      token,
      operation: "probe",
      config,
      baseDir: baseDirOf(options, baseDir),
    }),
    stdout: {
      keepBytes: 0,
      maxLineBytes: maxMessageBytes,
      onLine: (line) => reader.readLine(line),
    },
    timeoutMs: probeTimeoutMs,
    signal,
  });
  return factsOf(reader, result, python);
}

/** What Fabric planned must be what is asked for: a trial without its skills must not be taken for one with them. */
export function checkPlan(
  { plan, relay }: DriverFacts,
  options: Pick<FabricAgentOptions, "skills" | "captureTrajectory" | "captureSpans">,
): void {
  const { failed_checks: failed = [], routes = [] } = plan ?? {};
  if (failed.length > 0) {
    throw new AssayError("ASSAY_TOOL_UNUSABLE", `NeMo Fabric is not ready: ${failed.join("; ")}`, {
      remedy: "Install or set what is named; secrets are declared in `secrets`.",
    });
  }
  const route = routes.find(({ kind }) => kind === "skills");
  if (options.skills.length > 0 && route?.target !== "harness_native") {
    const names = options.skills.map(({ name }) => `"${name}"`).join(", ");
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      `the adapter "${plan?.adapter_id ?? "unknown"}" has no way to take skills: ${names}${route === undefined ? "" : ` (${route.reason})`}`,
      { remedy: "Take another harness, or leave the option skills out." },
    );
  }
  if (isCapturing(options) && !relay.command && !relay.module) {
    throw new AssayError(
      "ASSAY_TOOL_NOT_FOUND",
      "NeMo Relay, which records trajectories, is not there: neither the command nemo-relay nor the module nemo_relay",
      {
        remedy:
          'Install it with that interpreter, `pip install "nemo-fabric[relay]"`, or set the options capture_trajectory and capture_spans to false.',
      },
    );
  }
}

/** What shapes results beside the options, by its content. */
export async function resolvedFacts(
  { python, packages, packages_sha256, plan }: DriverFacts,
  skills: Readonly<Record<string, string>>,
  { files }: Pick<ProbeContext, "files">,
): Promise<JsonObject> {
  return {
    driver_sha256: await sha256HexOf(files.readChunks(driverFile)),
    python,
    packages,
    packages_sha256,
    adapter_contract: plan?.contract_version ?? null,
    adapter_sha256: plan?.descriptor_sha256 ?? null,
    adapter_script_sha256: plan?.script_sha256 ?? null,
    skills_sha256: skills,
  };
}
