import type { EvaluatorOptions } from "../node-engine.ts";
import type { Bundle, Origin } from "./read-result.ts";

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
export async function readOrigin(dir: string, options: EvaluatorOptions = {}): Promise<Origin> {
  const [{ nodeEngine }, { readOriginOf }] = await Promise.all([
    import("../node-engine.ts"),
    import("./read-result.ts"),
  ]);
  return await readOriginOf(dir, await nodeEngine(options));
}
