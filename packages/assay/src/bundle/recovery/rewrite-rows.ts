import path from "node:path";
import type { z } from "zod";

import type { FileStore } from "../../contracts/files.ts";
import type { JournalStream } from "../journal.ts";
import { bundleFiles } from "../layout.ts";
import { RowScan, scanRows } from "./scan-rows.ts";

/** As a document that is being written is named: what a kill leaves of either goes when the run is resumed. */
function temporaryOf(stream: JournalStream): string {
  return `.${bundleFiles[stream]}.${"0".repeat(12)}.tmp`;
}

/** Writes a file of the journal anew with the rows that `isKept` takes; the old one stays until the new one is whole. */
export async function rewriteRows<T extends z.ZodType>(
  {
    dir,
    stream,
    schema,
  }: { readonly dir: string; readonly stream: JournalStream; readonly schema: T },
  files: FileStore,
  isKept: (row: z.output<T>, ordinal: number) => boolean,
): Promise<RowScan> {
  const file = path.join(dir, bundleFiles[stream]);
  const temporary = path.join(dir, temporaryOf(stream));
  const kept = new RowScan();
  async function* keptRows() {
    for await (const { row, ordinal, bytes } of scanRows(file, schema, files, new RowScan())) {
      if (!isKept(row, ordinal)) continue;
      kept.hash.update(bytes);
      kept.keptBytes += bytes.length;
      kept.rowCount += 1;
      yield bytes;
    }
  }
  await files.remove(temporary);
  await files.writeNew(temporary, keptRows());
  await files.rename(temporary, file);
  return kept;
}
