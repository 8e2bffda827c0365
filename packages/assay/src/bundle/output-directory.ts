import type { FileStore } from "../contracts/files.ts";
import { AssayError } from "../errors/assay-error.ts";
import { runEntries } from "./layout.ts";

/** Throws `ASSAY_OUTPUT_EXISTS` when the directory holds anything of a run, or is none. */
export async function refuseExisting(dir: string, files: FileStore): Promise<void> {
  const facts = await files.stat(dir);
  if (facts === null) return;
  const isDirectory =
    facts.kind === "directory" ||
    (facts.kind === "link" && (await files.stat(`${dir}/.`))?.kind === "directory");
  if (!isDirectory) {
    throw new AssayError(
      "ASSAY_OUTPUT_EXISTS",
      `the output "${dir}" is there already and is no directory`,
      { data: { path: dir } },
    );
  }
  const present = (await files.list(dir)).find((name) => runEntries.includes(name));
  if (present === undefined) return;
  throw new AssayError(
    "ASSAY_OUTPUT_EXISTS",
    `the output directory "${dir}" already holds a run (${present})`,
    { data: { path: dir } },
  );
}
