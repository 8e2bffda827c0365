import { fileURLToPath } from "node:url";

import type { FileStore } from "../contracts/files.ts";
import { AssayError } from "../errors/assay-error.ts";
import { isPlainObject, parseJson } from "../support/json.ts";

/** The version in the package.json that this code was installed with. */
export async function readAssayVersion(files: FileStore): Promise<string> {
  const manifest = fileURLToPath(new URL("../../package.json", import.meta.url));
  const content = parseJson(await files.readText(manifest), "package.json of assay");
  const version = isPlainObject(content) ? content["version"] : undefined;
  if (typeof version !== "string")
    throw new AssayError("ASSAY_INVARIANT", "package.json of assay has no version");
  return version;
}
