import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { ErrorCode } from "../../errors/codes.ts";

interface Requirement {
  readonly files: Pick<FileStore, "stat">;
  readonly code: ErrorCode;
}

/** Throws `code` for what is no directory. `what` names the setting that leads there. */
export async function requireDirectory(
  path: string,
  what: string,
  { files, code }: Requirement,
): Promise<void> {
  const kind = (await files.stat(path))?.kind;
  if (kind === "directory") return;
  const problem =
    kind === undefined ? "is not there" : kind === "link" ? "is a link" : "is no directory";
  throw new AssayError(code, `${what} "${path}" ${problem}`, {
    remedy: "Give the path of a directory; a relative one starts at the suite's folder.",
    data: { path },
  });
}
