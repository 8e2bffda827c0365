import { isAbsolute } from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { hasScheme } from "../ref-place.ts";
import { containedPath } from "./contained-path.ts";

export interface RefContext {
  readonly baseDir: string;
  readonly isForeign: boolean;
  readonly files: FileStore;
}

const fileUri = /^file:\/\/[^/]*(.*)$/i;
const driveLetter = /^[A-Za-z]:/;

/** The real path of the directory that a local ref names. */
export async function openLocalDirectory(
  name: string,
  ref: string | null,
  context: RefContext,
): Promise<string> {
  return await openLocal(name, ref, { ...context, kind: "directory" });
}

/** The real path of the file that a local ref names. */
export async function openLocalFile(
  name: string,
  ref: string | null,
  context: RefContext,
): Promise<string> {
  return await openLocal(name, ref, { ...context, kind: "file" });
}

async function openLocal(
  name: string,
  ref: string | null,
  context: RefContext & { readonly kind: "directory" | "file" },
): Promise<string> {
  const { files, kind } = context;
  const real = await realPathOf(name, localPath(name, ref), context);
  const found = (await files.stat(real))?.kind;
  if (found === kind) return real;
  const isAbsent = found === undefined;
  throw unavailable(
    name,
    `its ref ${JSON.stringify(ref)} ${isAbsent ? "is not there" : `is no ${kind}`}`,
    isAbsent,
  );
}

function localPath(name: string, ref: string | null): string {
  if (ref === null || ref === "") throw unavailable(name, "it has no ref", true);
  const path = fileUri.exec(ref)?.[1] ?? ref;
  if (hasScheme(path)) throw unavailable(name, `its ref ${JSON.stringify(ref)} is not local`);
  return path;
}

async function realPathOf(
  name: string,
  path: string,
  { baseDir, isForeign, files }: RefContext,
): Promise<string> {
  if (!isAbsolute(path) && !driveLetter.test(path))
    return await containedPath(files, await files.realPath(baseDir), path);
  if (isForeign) {
    throw new AssayError(
      "ASSAY_PATH_ESCAPES",
      `evidence "${name}" lies at ${JSON.stringify(path)}, outside of its bundle: it is not followed`,
      {
        data: { name, path },
      },
    );
  }
  return (await files.stat(path)) === null ? path : await files.realPath(path);
}

function unavailable(name: string, problem: string, isInputAbsent = false): AssayError {
  return new AssayError(
    "ASSAY_EVIDENCE_UNAVAILABLE",
    `evidence "${name}" cannot be opened: ${problem}`,
    {
      data: { name, isInputAbsent },
    },
  );
}
