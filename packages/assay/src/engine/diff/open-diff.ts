import type { EvaluatorOptions } from "../node-engine.ts";
import type { BundleDiff } from "./bundle-diff.ts";

/**
 * Compares two bundles: whether they were made with the same settings, what differs in how they were made and scored,
 * then the scores of the tasks that both have, task by task. `a` is the earlier one or the baseline: a change is `b - a`.
 * Both may be anybody's: nothing in them is executed, no path is followed out, and every record is compared with its
 * digest before anything is told of it. Throws `ASSAY_BUNDLE_NOT_FOUND`, `ASSAY_BUNDLE_UNFINISHED`,
 * `ASSAY_BUNDLE_DAMAGED` or `ASSAY_BUNDLE_VERSION`.
 */
export async function diffBundles(
  a: string,
  b: string,
  options: EvaluatorOptions = {},
): Promise<BundleDiff> {
  const [{ nodeEngine }, { diffBundleDirectories }] = await Promise.all([
    import("../node-engine.ts"),
    import("./diff-bundles.ts"),
  ]);
  return await diffBundleDirectories([a, b], await nodeEngine(options));
}
