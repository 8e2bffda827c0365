import { z } from "zod";

import type { ProcessIdentity } from "../../contracts/owner.ts";
import { safeName } from "../../support/file-names.ts";

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
    [label.owner]: ownerText(process),
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

/** Without a comma or a quotation mark: Podman reads the labels of volumes as a line of comma-separated values. */
function ownerText(process: ProcessIdentity): string {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(process))
    if (value !== null) written.set(name, String(value));
  return String(written);
}

const text = z.string().nullable().default(null);
const count = z.coerce.number().int();
const ownerSchema = z.object({
  hostname: z.string(),
  bootId: text,
  pidNamespace: text,
  pid: count,
  startTicks: count.nullable().default(null),
}) satisfies z.ZodType<ProcessIdentity>;

/** Null for what Assay did not write. */
export function readOwner(written: string): ProcessIdentity | null {
  const parsed = ownerSchema.safeParse(Object.fromEntries(new URLSearchParams(written)));
  return parsed.success ? parsed.data : null;
}
