import { z } from "zod";

import type { ProcessIdentity } from "../../contracts/owner.ts";
import { safeName } from "../../support/file-names.ts";
import { parseJson } from "../../support/json.ts";

/** Containers and volumes carry these from before their creation on. */
export const label = {
  run: "dev.assay.run",
  runId: "dev.assay.run-id",
  trial: "dev.assay.trial",
  owner: "dev.assay.owner",
} as const;

/** Whose sandboxes they are. */
export interface SandboxOwner {
  /** The run's token. */
  readonly token: string;
  readonly runId: string;
  /** The process that stops them, as long as it lives. */
  readonly process: ProcessIdentity;
}

export function labelFlags({ token, runId, process }: SandboxOwner, trialId: string): string[] {
  const values = {
    [label.run]: token,
    [label.runId]: runId,
    [label.trial]: safeName(trialId),
    [label.owner]: JSON.stringify(process),
  };
  return Object.entries(values).flatMap(([name, value]) => ["--label", `${name}=${value}`]);
}

/** `assay-<run>-<trial>-<random>`: what people see in `docker ps`. */
export function containerName({ token }: SandboxOwner, trialId: string, suffix: string): string {
  const trial = safeName(trialId).toLowerCase().slice(0, 40);
  return ["assay", token.slice(0, 8), ...(trial === "" ? [] : [trial]), suffix.slice(0, 12)].join(
    "-",
  );
}

const ownerSchema = z.object({
  hostname: z.string(),
  bootId: z.string().nullable(),
  pidNamespace: z.string().nullable(),
  pid: z.int(),
  startTicks: z.int().nullable(),
}) satisfies z.ZodType<ProcessIdentity>;

/** Null for what Assay did not write. */
export function readOwner(text: string): ProcessIdentity | null {
  try {
    return ownerSchema.parse(parseJson(text, label.owner));
  } catch {
    return null;
  }
}
