import { createNodePlatform, type NodePlatform } from "../platform/node-platform.ts";
import { assayIntegrity } from "./assay-integrity.ts";
import type { Platform } from "./platform.ts";
import { readAssayVersion } from "./version.ts";

export interface EvaluatorOptions {
  /** The environment: secrets are looked up here, and children get the allowed part. Default: the process's own. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Relative paths of a call start here. Default: the process's working directory. */
  readonly cwd?: string;
  /** Where private scratch directories are made. Default: `assay/scratch` in the user's cache directory. */
  readonly scratchParent?: string;
}

/** The engine's view of this machine. */
export async function nodeEngine(options: EvaluatorOptions): Promise<Platform & NodePlatform> {
  const platform = createNodePlatform({
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.scratchParent === undefined ? {} : { scratchParent: options.scratchParent }),
  });
  return {
    ...platform,
    cwd: options.cwd ?? platform.host.cwd,
    assayVersion: await readAssayVersion(platform.files),
    assayIntegrity,
  };
}
