import { fileURLToPath } from "node:url";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { isPlainObject, parseJson } from "../../support/json.ts";
import { didYouMean } from "../../support/names.ts";

/** The same from src/engine/suite and from dist/engine/suite. */
const packageRoot = new URL("../../../", import.meta.url);
const isSource = import.meta.url.endsWith(".ts");

/** Where each import of this package leads: `assay`, `assay/runners` ... to the URL of the running copy's own file. */
export type OwnExports = ReadonlyMap<string, string>;

/** Reads the export map of the running copy, so that a suite elsewhere gets this instance and no other. */
export async function readOwnExports(files: FileStore): Promise<OwnExports> {
  const path = fileURLToPath(new URL("package.json", packageRoot));
  const manifest = parseJson(await files.readText(path), "package.json of Assay");
  if (!isPlainObject(manifest) || !isPlainObject(manifest["exports"])) {
    throw new AssayError("ASSAY_INVARIANT", "package.json of Assay has no exports");
  }
  const found = new Map<string, string>();
  for (const [subpath, entry] of Object.entries(manifest["exports"])) {
    const target = isPlainObject(entry) ? entry["default"] : entry;
    if (typeof target !== "string" || !target.endsWith(".js")) continue;
    const file = isSource ? target.replace("./dist/", "./src/").replace(/\.js$/, ".ts") : target;
    found.set(`${String(manifest["name"])}${subpath.slice(1)}`, new URL(file, packageRoot).href);
  }
  return found;
}

/** The URL for an import of this package; null for any other import. */
export function ownExportUrl(specifier: string, own: OwnExports): string | null {
  const url = own.get(specifier);
  if (url !== undefined) return url;
  const [root = ""] = own.keys();
  if (!specifier.startsWith(`${root}/`) || specifier === `${root}/package.json`) return null;
  const known = [...own.keys()];
  throw new AssayError(
    "ASSAY_SUITE_LOAD_FAILED",
    `"${specifier}" does not exist${didYouMean(specifier, known)}; there is ${known.join(", ")}`,
  );
}
