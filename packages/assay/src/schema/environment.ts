import { z } from "zod";

import { fact } from "./fact.ts";
import { name } from "./free-form.ts";

const sha256 = () => z.string().regex(/^[0-9a-f]{64}$/, "expected a SHA-256 in hex");

const assaySchema = z.strictObject({
  version: z.string().describe("Of the package."),
  integrity: fact(z.string()).describe(
    "Digest of Assay's own program files as they are installed here.",
  ),
});

const hostSchema = z.strictObject({
  os: z.string().describe("`linux`, `darwin`, `win32`, as Node names it."),
  osRelease: z.string().describe("Release of the kernel."),
  architecture: z.string().describe("`x64`, `arm64`, as Node names it."),
  cpuCount: z.int().positive().describe("Processors that the process may use."),
  nodeVersion: z.string().describe("Without the v."),
  container: fact(z.string()).describe(
    "A hint of the container that Assay ran in: `docker`, `podman`, `kubernetes` or another name.",
  ),
});

const submoduleSchema = z.strictObject({
  path: name().describe("Relative to the repository."),
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
  submodules: fact(z.array(submoduleSchema)).describe(
    "Each with what is asked for and what is there.",
  ),
  lockfile: fact(
    z.strictObject({
      name: z.string().describe("Of the file: package-lock.json, pnpm-lock.yaml, ..."),
      sha256: sha256().describe("Of its bytes."),
    }),
  ).describe("The nearest one at or above the suite."),
});

/** What a run was started with and on. */
export const environmentSchema = z.strictObject({
  assay: assaySchema.describe("What evaluated."),
  host: hostSchema.describe("The machine and runtime; no name, address or path of it."),
  source: sourceSchema.describe("Where the suite comes from, as it was before the first trial."),
});

export type SourceRecord = Readonly<z.output<typeof sourceSchema>>;
export type HostRecord = Readonly<z.output<typeof hostSchema>>;
export type EnvironmentRecord = Readonly<z.output<typeof environmentSchema>>;
