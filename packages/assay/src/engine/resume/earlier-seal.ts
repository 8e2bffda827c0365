import path from "node:path";

import { bytesOf } from "../../bundle/decode-files.ts";
import { bundleFiles, envelopeFile } from "../../bundle/layout.ts";
import type { BundleReader } from "../../bundle/read-bundle.ts";
import { Problems } from "../../bundle/verify/problems.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { SigningKey } from "../../provenance/signing/keys.ts";
import type { RunOptions } from "../api.ts";
import type { Platform } from "../platform.ts";
import { checkSignature } from "../verify/signature-check.ts";
import { parseBundleDigest, verify } from "../verify/verify.ts";

type Place = Pick<Platform, "files" | "cwd" | "identities">;

/**
 * Whether what an earlier start sealed is what its owner knows. A signature would vouch for it, and no file in it tells it
 * from a consistent forgery: its digest has to come from elsewhere, or its signature be of this very key. Throws
 * `ASSAY_BUNDLE_DAMAGED` when it is another bundle, and `ASSAY_CONFIG_INVALID` when nobody says which it has to be.
 */
export async function assertKnown(
  reader: BundleReader,
  { digest }: Pick<RunOptions, "digest">,
  { signKey, files }: { readonly signKey: SigningKey | null; readonly files: Place["files"] },
): Promise<void> {
  const { dir, unsealedBecause } = reader;
  const data = { path: dir };
  if (digest !== undefined) {
    const wanted = parseBundleDigest(digest);
    const found = unsealedBecause === null ? await reader.digest() : `none: ${unsealedBecause}`;
    if (found === wanted) return;
    const message = `the bundle in "${dir}" is not the one with the digest given: expected ${wanted}, found ${found}`;
    throw new AssayError("ASSAY_BUNDLE_DAMAGED", message, { data });
  }
  if (signKey === null || unsealedBecause !== null || (await isSignedBy(reader, signKey, files)))
    return;
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    `the run in "${dir}" was sealed before, without this key: a signature would vouch for whatever lies there now`,
    {
      data,
      remedy:
        "Give the digest that the run printed last, from its log: --digest sha256:... (`digest` in a program).",
    },
  );
}

async function isSignedBy(
  { dir, manifest }: BundleReader,
  key: SigningKey,
  files: Place["files"],
): Promise<boolean> {
  const problems = new Problems();
  const statement = await bytesOf(path.join(dir, bundleFiles.provenance), files);
  await checkSignature({ dir, files, manifest, statement, key, problems });
  return problems.count === 0;
}

/** Throws `ASSAY_BUNDLE_DAMAGED` when a bundle that is to be signed contradicts itself; the envelope is made anew. */
export async function assertConsistent(dir: string, place: Place): Promise<void> {
  const { problems } = await verify(dir, {}, place);
  const wrong = problems.filter((problem) => problem.path !== envelopeFile);
  const [first] = wrong;
  if (first === undefined) return;
  const more = wrong.length === 1 ? "" : `, and ${wrong.length - 1} more problems`;
  throw new AssayError(
    "ASSAY_BUNDLE_DAMAGED",
    `the bundle in "${dir}" is not signed, for it is not consistent: ${first.path}: ${first.message}${more}`,
    {
      data: { path: dir, files: [...new Set(wrong.map((problem) => problem.path))] },
      remedy:
        "`assay verify` names all that is wrong. Run again, or bring the files back as they were.",
    },
  );
}
