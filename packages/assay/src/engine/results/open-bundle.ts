import { type EvaluatorOptions, nodeEngine } from "../node-engine.ts";
import { type Bundle, readResult } from "./read-result.ts";

/**
 * Reads a bundle from a directory, wherever it was moved to. Nothing in it is executed and no path is followed out.
 * Throws `ASSAY_BUNDLE_NOT_FOUND`, `ASSAY_BUNDLE_UNFINISHED`, `ASSAY_BUNDLE_DAMAGED` or `ASSAY_BUNDLE_VERSION`.
 */
export async function readBundle(dir: string, options: EvaluatorOptions = {}): Promise<Bundle> {
  return await readResult(dir, await nodeEngine(options));
}
