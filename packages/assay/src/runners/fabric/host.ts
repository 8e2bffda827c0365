import path from "node:path";
import { fileURLToPath } from "node:url";

import type { ProcessCapability } from "../../contracts/process.ts";
import type { ProbeContext } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { FabricAgentOptions } from "./agent-options.ts";
import type { FabricOptions } from "./options.ts";

/** The program that speaks with Fabric: data to Assay, code to the user's interpreter. */
export const driverFile = fileURLToPath(new URL("./driver/fabric_driver.py", import.meta.url));

/** The folder that relative paths of the configuration start at. */
export function baseDirOf(
  { baseDir: given }: Pick<FabricOptions, "baseDir">,
  baseDir: string,
): string {
  return given === null ? baseDir : path.resolve(baseDir, given);
}

/** Where interpreter and driver of one process have their home. */
export interface HostPlaces {
  readonly home: string;
  readonly temporary: string;
}

/** The whole environment of the driver: what the host has by that name, private folders, what the options say. */
export function hostEnvironment(
  { env, inheritEnv }: Pick<FabricAgentOptions, "env" | "inheritEnv">,
  { home, temporary }: HostPlaces,
  process: Pick<ProcessCapability, "baseEnv">,
): Record<string, string> {
  const host = process.baseEnv(inheritEnv);
  const named = inheritEnv.flatMap((name) => {
    const value = host[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...host, HOME: home, TMPDIR: temporary, ...Object.fromEntries(named), ...env };
}

export async function findPython(
  { python }: Pick<FabricOptions, "python">,
  { process, baseDir }: Pick<ProbeContext, "process" | "baseDir">,
): Promise<string> {
  const found = await process.find(python, { cwd: baseDir });
  if (found !== null) return found;
  const where = python.includes("/") ? "does not exist or cannot be run" : "was not found on PATH";
  throw new AssayError("ASSAY_TOOL_NOT_FOUND", `the Python interpreter '${python}' ${where}`, {
    remedy: installRemedy,
  });
}

export const installRemedy =
  'Make an environment with Python 3.11 or later, `pip install "nemo-fabric[codex]"` (or another harness) in it, and give its interpreter with the option python.';
