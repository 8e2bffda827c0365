import { z } from "zod";

import { dataMap, name } from "./free-form.ts";
import { invocationSchema } from "./invocation.ts";

export const bundleFormatVersion = 1;
export const runStatuses = ["running", "completed", "incomplete", "interrupted"] as const;

/** `run.json`: written first as `running`, and last. Other writers may add keys. */
export const manifestSchema = z.looseObject({
  runId: name().describe("Which run this is."),
  artifacts: dataMap(z.string()).describe("The files of the bundle by role, relative to it."),
  outputDir: z
    .string()
    .nullable()
    .default(null)
    .describe("Always `.` from Assay; other writers put their launch path here."),
  dashboardPath: z.string().nullable().default(null).describe("Of other writers; null from Assay."),
  status: z.enum(runStatuses).optional().describe("Absent in bundles of other writers."),
  schemaVersion: z.int().positive().optional().describe("Version of the bundle format."),
  provenanceSha256: z
    .string()
    .nullable()
    .optional()
    .describe("SHA-256 of provenance.json: the digest of the bundle."),
  signatureSha256: z
    .string()
    .nullable()
    .optional()
    .describe("SHA-256 of provenance.dsse.json; null when the bundle is not signed."),
  statusCause: z.string().nullable().optional().describe("Why a run is not completed."),
  invocations: z
    .array(invocationSchema)
    .optional()
    .describe("Each start of the run so far, first to last."),
  checkpoint: dataMap(
    z.strictObject({
      bytes: z.int().nonnegative().describe("Its length then."),
      sha256: z.string().describe("Of the bytes up to that length."),
    }),
  )
    .optional()
    .describe(
      "While a resumed run goes on: what each appended file held when it began, by name. It still has to begin so.",
    ),
  alteredFiles: z
    .array(z.string())
    .optional()
    .describe("Files that somebody else wrote to while the run went on. It is not resumed."),
  updatedAt: z.string().optional().describe("UTC time of this write."),
  selfDigest: z.string().optional().describe("Digest of this document without this key."),
});

export type RunStatus = (typeof runStatuses)[number];
export type Manifest = Readonly<z.output<typeof manifestSchema>>;
