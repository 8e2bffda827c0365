import path from "node:path";

import { z } from "zod";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { dataMap, jsonObject } from "../../schema/free-form.ts";
import { formatDocument, parseJson } from "../../support/json.ts";

/** Lies in the folder of a job that is kept: what the job was made of, and which trial of Assay each of its trials is. */
const stampName = ".assay-harbor.json";

const stampSchema = z.object({
  version: z.literal(1),
  /** Digest of Harbor's version and of the options that shape results. */
  options: z.string(),
  /** Digest of the agent's code; null when it is no folder. */
  agent: z.string().nullable(),
  /** Digest of each task's folder, by Harbor's name of the task. */
  tasks: dataMap(z.string()),
  /** The job as it was given to Harbor, which goes on with no other. */
  config: jsonObject(),
  /** By the name of the trial. */
  trials: dataMap(z.object({ task: z.string(), index: z.int().nonnegative() })),
});

export type JobStamp = z.output<typeof stampSchema>;

/** Null where there is none, or none that can be read. */
export async function readStamp(
  directory: string,
  files: Pick<FileStore, "stat" | "readText">,
): Promise<JobStamp | null> {
  const file = path.join(directory, stampName);
  if ((await files.stat(file))?.kind !== "file") return null;
  try {
    const parsed = stampSchema.safeParse(parseJson(await files.readText(file), file));
    return parsed.success ? parsed.data : null;
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
    return null;
  }
}

export async function writeStamp(
  directory: string,
  stamp: JobStamp,
  files: Pick<FileStore, "writeAtomic">,
): Promise<void> {
  await files.writeAtomic(path.join(directory, stampName), formatDocument(stamp));
}
