import { z } from "zod";

import { fact } from "./fact.ts";
import { name } from "./free-form.ts";

const sha256 = () => z.string().regex(/^[0-9a-f]{64}$/, "expected a SHA-256 in hex");

const assaySchema = z.strictObject({
  version: z.string(),
  integrity: fact(z.string()).describe(
    "Digest of Assay's own program files as they are installed here.",
  ),
});

const hostSchema = z.strictObject({
  os: z.string(),
  osRelease: z.string(),
  architecture: z.string(),
  cpuCount: z.int().positive().describe("Processors that the process may use."),
  nodeVersion: z.string(),
  container: fact(z.string()).describe(
    "A hint of the container that Assay ran in: `docker`, `podman`, `kubernetes` or another name.",
  ),
});

const submoduleSchema = z.strictObject({
  path: name(),
  commit: z.string().describe("What the repository asks for."),
  checkedOut: fact(z.string()).describe("What is there."),
});

const sourceSchema = z.strictObject({
  commit: fact(z.string()).describe("Of the repository that holds the suite, in full."),
  isDirty: fact(z.boolean()).describe("Tracked files differ from the commit."),
  diffDigest: fact(z.string().nullable()).describe(
    "Digest of what the tracked files that differ hold, by path; null when none differs.",
  ),
  originUrl: fact(z.string()).describe("Without credentials."),
  submodules: fact(z.array(submoduleSchema)),
  lockfile: fact(z.strictObject({ name: z.string(), sha256: sha256() })).describe(
    "The nearest one at or above the suite.",
  ),
});

/** What a run was started with and on. */
export const environmentSchema = z.strictObject({
  assay: assaySchema,
  host: hostSchema.describe("The machine and runtime; no name, address or path of it."),
  source: sourceSchema.describe("Where the suite comes from, as it was before the first trial."),
});

export type SourceRecord = Readonly<z.output<typeof sourceSchema>>;
export type HostRecord = Readonly<z.output<typeof hostSchema>>;
export type EnvironmentRecord = Readonly<z.output<typeof environmentSchema>>;
