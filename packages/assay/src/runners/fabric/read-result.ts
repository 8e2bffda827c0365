import type { FileStore } from "../../contracts/files.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { sha256Hex } from "../../support/digest.ts";
import { parseForeignJson } from "../../support/foreign-json.ts";
import { maxResultBytes } from "./invocation.ts";
import type { DriverAnswer } from "./messages.ts";
import { type RunResult, runResultSchema } from "./run-result.ts";

/** The result, or why what lies there is not usable as one. */
export type ReadResult =
  | { readonly result: RunResult; readonly problem: null }
  | { readonly result: null; readonly problem: string };

/** Reads the very bytes that the driver wrote: something else may lie there by now, and no link is followed. */
export async function readResult(
  file: string,
  { sha256 }: Extract<DriverAnswer, { type: "result" }>,
  files: FileStore,
): Promise<ReadResult> {
  let bytes: Uint8Array;
  try {
    bytes = await files.readRegular(file, { maxBytes: maxResultBytes });
  } catch (thrown) {
    return unusable(messageOf(thrown));
  }
  if (sha256Hex(bytes) !== sha256)
    return unusable("what lies in its place is not what the driver wrote");
  return parseResult(bytes);
}

export function parseResult(bytes: Uint8Array): ReadResult {
  let value: unknown;
  try {
    value = parseForeignJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes), "the result");
  } catch (thrown) {
    if (AssayError.isInstance(thrown)) return unusable(thrown.message.replaceAll(/\s+/g, " "));
    return unusable("it is no UTF-8 text");
  }
  const parsed = runResultSchema.safeParse(value);
  if (parsed.success) return { result: parsed.data, problem: null };
  const [issue] = parsed.error.issues;
  const place = issue?.path.join(".") ?? "";
  return unusable(`${place === "" ? "" : `${place}: `}${issue?.message ?? "another shape"}`);
}

function unusable(problem: string): ReadResult {
  return { result: null, problem };
}
