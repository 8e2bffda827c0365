import type { BundleVerification, VerifyOptions } from "./verification.ts";

/**
 * Checks a bundle, that of a stranger too: nothing in it is executed, no path or link is followed out of it, sizes are
 * bounded. Every file is compared with its digest, evidence included, files that no record names are found, and records
 * are compared with each other: counts, ids, references, the summary with the rows.
 *
 * What is wrong is in the result, and is not thrown. Throws `ASSAY_BUNDLE_NOT_FOUND`, `ASSAY_BUNDLE_VERSION` for a later
 * format, `ASSAY_KEY_INVALID` and `ASSAY_FILE_UNREADABLE` for the key, `ASSAY_CONFIG_INVALID` for what is no digest.
 */
export async function verifyBundle(
  dir: string,
  options: VerifyOptions = {},
): Promise<BundleVerification> {
  const [{ nodeEngine }, { verify }] = await Promise.all([
    import("../node-engine.ts"),
    import("./verify.ts"),
  ]);
  return await verify(dir, options, await nodeEngine(options));
}
