import { lstatSync } from "node:fs";
import { getSystemErrorMap } from "node:util";

import { AssayError, messageOf } from "../../errors/assay-error.ts";

/** The system's code of an error (`ENOENT`), or null when it has none. */
export function systemCodeOf(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !("code" in thrown)) return null;
  return typeof thrown.code === "string" ? thrown.code : null;
}

/** What the system did not let us write. */
export function storeError(path: string, thrown: unknown): AssayError {
  return fileError("ASSAY_STORE_FAILED", "write", path, thrown);
}

/** What the system did not let us read. */
export function readError(path: string, thrown: unknown): AssayError {
  return fileError("ASSAY_FILE_UNREADABLE", "read", path, thrown);
}

/** A refusal of our own, with the code that the system would give for it. */
export class RefusedPath extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Runs `work`; what it throws becomes the error of writing `path`. */
export async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw storeError(path, thrown);
  }
}

/** Runs `work`; what it throws becomes the error of reading `path`. */
export async function reading<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw readError(path, thrown);
  }
}

function fileError(
  code: "ASSAY_STORE_FAILED" | "ASSAY_FILE_UNREADABLE",
  verb: "read" | "write",
  path: string,
  thrown: unknown,
): AssayError {
  if (AssayError.isInstance(thrown)) return thrown;
  const systemCode = systemCodeOf(thrown);
  const reason =
    systemCode === null ? messageOf(thrown) : `${reasonOf(path, thrown)} (${systemCode})`;
  return new AssayError(code, `cannot ${verb} ${JSON.stringify(path)}: ${reason}`, {
    data: { path, systemCode },
    cause: thrown,
  });
}

/** The system's sentence alone: the message of a system error repeats the path and names the call. */
function reasonOf(path: string, thrown: unknown): string {
  if (systemCodeOf(thrown) === "ENOENT" && isLink(path)) return "it is a link to what is not there";
  if (thrown instanceof Error && "errno" in thrown && typeof thrown.errno === "number") {
    return getSystemErrorMap().get(thrown.errno)?.[1] ?? messageOf(thrown);
  }
  return messageOf(thrown);
}

/** The system says of both, a name that is not there and a link whose end is not, that there is no such file. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
