import type { EvaluatorOptions } from "../node-engine.ts";
import type { Bundle, BundleProvenance } from "./read-result.ts";

/**
 * Reads a bundle from a directory, wherever it was moved to. Nothing in it is executed and no path is followed out.
 * Throws `ASSAY_BUNDLE_NOT_FOUND`, `ASSAY_BUNDLE_UNFINISHED`, `ASSAY_BUNDLE_DAMAGED` or `ASSAY_BUNDLE_VERSION`.
 */
export async function readBundle(dir: string, options: EvaluatorOptions = {}): Promise<Bundle> {
  const [{ nodeEngine }, { readResult }] = await Promise.all([
    import("../node-engine.ts"),
    import("./read-result.ts"),
  ]);
  return await readResult(dir, await nodeEngine(options));
}

/** What made a bundle, and nothing of its results: little memory, however large it is. Throws as `readBundle` does. */
export async function readProvenance(
  dir: string,
  options: EvaluatorOptions = {},
): Promise<BundleProvenance> {
  const [{ nodeEngine }, { readProvenanceOf }] = await Promise.all([
    import("../node-engine.ts"),
    import("./read-result.ts"),
  ]);
  return await readProvenanceOf(dir, await nodeEngine(options));
}
