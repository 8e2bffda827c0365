import path from "node:path";

import type { FileStore } from "../contracts/files.ts";
import { AssayError } from "../errors/assay-error.ts";
import { isPlainObject, parseJson } from "../support/json.ts";
import { bundleFiles } from "./layout.ts";

const maxManifestBytes = 1024 * 1024;

/** Throws `ASSAY_OUTPUT_EXISTS` when a directory, which need not be there yet, lies inside of a bundle. */
export async function refuseInsideBundle(dir: string, files: FileStore): Promise<void> {
  const enclosing = await enclosingBundle(dir, files);
  if (enclosing === null) return;
  throw new AssayError(
    "ASSAY_OUTPUT_EXISTS",
    `the output directory "${dir}" lies inside of the bundle "${enclosing}"`,
    { data: { path: dir, bundle: enclosing }, remedy: "Give a directory outside of it." },
  );
}

async function enclosingBundle(dir: string, files: FileStore): Promise<string | null> {
  for (let at = await realPlaceOf(path.dirname(dir), files); ; at = path.dirname(at)) {
    if (await isBundle(at, files)) return at;
    if (at === path.dirname(at)) return null;
  }
}

/** The nearest directory on the way to `dir` that is there, without links: it may lie elsewhere by another name. */
export async function realPlaceOf(
  dir: string,
  files: Pick<FileStore, "stat" | "realPath">,
): Promise<string> {
  let there = dir;
  while ((await files.stat(`${there}${path.sep}.`)) === null && there !== path.dirname(there))
    there = path.dirname(there);
  return await files.realPath(there);
}

/** Many things are called run.json: only one that says what Assay and others of its format write counts. */
export async function isBundle(dir: string, files: FileStore): Promise<boolean> {
  const file = path.join(dir, bundleFiles.manifest);
  if ((await files.stat(file))?.kind !== "file") return false;
  try {
    const bytes = await files.readRegular(file, { maxBytes: maxManifestBytes });
    const wire = parseJson(new TextDecoder().decode(bytes), file);
    return isPlainObject(wire) && typeof wire["run_id"] === "string" && "artifacts" in wire;
  } catch (thrown) {
    if (AssayError.isInstance(thrown)) return false;
    throw thrown;
  }
}
