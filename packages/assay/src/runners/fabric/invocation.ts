import type { JsonObject } from "../../support/json.ts";
import { formatRow } from "../../support/json.ts";

/** Bytes of a result that are read; a longer one is the agent's fault. */
export const maxResultBytes = 32 * 1024 * 1024;

/** What the driver is told on stdin. No secret is in it: those are in its environment. */
export interface DriverOrder {
  readonly token: string;
  readonly operation: "probe" | "run";
  /** Null only asks what is installed. */
  readonly config: JsonObject | null;
  readonly baseDir: string;
}

export interface RunOrder extends DriverOrder {
  readonly operation: "run";
  readonly config: JsonObject;
  readonly instruction: string;
  readonly taskId: string;
  /** Where the driver writes the result, and the spans, if any. */
  readonly resultFile: string;
  readonly spansFile: string | null;
}

export function formatOrder(order: DriverOrder | RunOrder): string {
  const { token, operation, config, baseDir } = order;
  const head = { token, operation, config, base_dir: baseDir };
  if (!("instruction" in order)) return `${formatRow(head)}\n`;
  const { instruction, taskId, resultFile, spansFile } = order;
  const rest = {
    request: { input: instruction, request_id: taskId },
    result_file: resultFile,
    max_result_bytes: maxResultBytes,
    spans_file: spansFile,
  };
  return `${formatRow({ ...head, ...rest })}\n`;
}
