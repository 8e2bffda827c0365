import path from "node:path";

import type { Sandbox } from "../../contracts/sandbox.ts";
import type { AttemptContext } from "../define/attempt-context.ts";
import { driverFile } from "../fabric/host.ts";
import type { FabricContainerOptions } from "./options.ts";

/** In a container: what goes in, and what comes out of it. */
export const inside = {
  in: "/in",
  driver: "/in/fabric_driver.py",
  skills: "/in/skill",
  home: "/in/home",
  temporary: "/in/tmp",
  out: "/out",
  workspace: "/out/workspace",
  relay: "/out/relay",
  artifacts: "/out/artifacts",
  result: "/out/fabric_result.json",
  spans: "/out/relay/spans.otlp.jsonl",
} as const;

/** What is copied out, by its name in both places. */
export const outNames = ["workspace", "relay", "artifacts", "fabric_result.json"] as const;

/** A path of the container on the host; null for what does not lie in the folder that is copied out. */
export function toHost(directory: string): (place: string) => string | null {
  return (place) => {
    const isPlain = path.posix.normalize(place) === place;
    if (!isPlain || !place.startsWith(`${inside.out}/`)) return null;
    return path.join(directory, place.slice(inside.out.length + 1));
  };
}

export const runningUser = "1000:1000";

/** The environment of a command. PATH is the image's own. */
export function containerEnvironment(
  { env, inheritEnv }: Pick<FabricContainerOptions, "env" | "inheritEnv">,
  { process, secrets }: Pick<AttemptContext<unknown>, "process" | "secrets">,
): Record<string, string> {
  const host = process.baseEnv(inheritEnv);
  const named = inheritEnv.flatMap((name) => {
    const value = host[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const places = { HOME: inside.home, TMPDIR: inside.temporary };
  return { ...places, ...Object.fromEntries(named), ...env, ...secrets };
}

/** Puts the driver, private folders and `skills` (a folder of the host) into a container. */
export async function uploadInputs(
  sandbox: Sandbox,
  { files, signal }: Pick<AttemptContext<unknown>, "files" | "signal">,
  { stage, skills }: { readonly stage: string; readonly skills: string | null },
): Promise<void> {
  await files.makePrivateDirectory(stage);
  for (const name of ["home", "tmp"]) await files.makePrivateDirectory(path.join(stage, name));
  const driver = await files.readText(driverFile);
  await files.writeAtomic(path.join(stage, path.posix.basename(inside.driver)), driver);
  if (skills !== null) await files.copyTree(skills, path.join(stage, "skill"));
  await sandbox.upload(stage, inside.in, { signal });
}
