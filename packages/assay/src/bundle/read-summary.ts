import type { FileStore } from "../contracts/files.ts";
import type { Summary } from "../schema/summary.ts";
import { decodeSummary, decodeTaskValues } from "../statistics/decode-summary.ts";
import { setOwn } from "../support/json.ts";
import { assertDocumentSize, damaged } from "./decode-files.ts";
import type { RowWatch } from "./decode-rows.ts";
import { JsonMembers } from "./json-members.ts";
import { bundleFiles } from "./layout.ts";

export type OnTaskValues = (taskId: string, values: Summary["taskMetricValues"][string]) => void;

interface SummaryFile {
  readonly file: string;
  readonly files: FileStore;
  /** Told of the end before the summary is given. */
  readonly watch: Pick<RowWatch, "update" | "end">;
}

/** Reads a summary of today: the values of one task at a time are given to `onTask`, all else is the result. */
export async function readSummaryByTask(
  { file, files, watch }: SummaryFile,
  onTask: OnTaskValues,
): Promise<Summary> {
  const name = bundleFiles.summary;
  const rest: Record<string, unknown> = {};
  const members = new JsonMembers(name, ["task_metric_values"], (outer, key, value) => {
    if (outer === null) setOwn(rest, key, value);
    else onTask(key, decodeTaskValues(value, name));
  });
  try {
    await assertDocumentSize(file, files);
    for await (const chunk of files.readChunks(file)) {
      watch.update(chunk);
      members.add(chunk);
    }
    members.end();
  } catch (cause) {
    throw damaged(name, cause);
  }
  watch.end();
  return decodeSummary(rest, name).summary;
}
