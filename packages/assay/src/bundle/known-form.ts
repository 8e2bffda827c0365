import { AssayError } from "../errors/assay-error.ts";
import { bundleFormatVersion } from "../schema/manifest.ts";
import { isPlainObject } from "../support/json.ts";
import { bundleFiles } from "./layout.ts";

/** Before anything else is asked of the manifest: a later format may differ in all of it. */
export function assertKnownVersion(wire: unknown, dir: string): void {
  const version = isPlainObject(wire) ? wire["schema_version"] : undefined;
  if (typeof version !== "number" || version <= bundleFormatVersion) return;
  throw new AssayError(
    "ASSAY_BUNDLE_VERSION",
    `${bundleFiles.manifest} of "${dir}" is of bundle format ${version}, this Assay reads up to ${bundleFormatVersion}`,
    { data: { path: dir } },
  );
}

/** Its digest agrees, and still it cannot be read: whoever wrote it wrote another form of it. */
export function otherForm(dir: string, cause: unknown): unknown {
  if (!AssayError.isInstance(cause)) return cause;
  return new AssayError(
    "ASSAY_BUNDLE_VERSION",
    `"${dir}" is whole, but not in the form that this Assay reads: ${cause.message}`,
    {
      data: { path: dir },
      cause,
      remedy: "Read it with the build of Assay that wrote it, or run the suite again.",
    },
  );
}
