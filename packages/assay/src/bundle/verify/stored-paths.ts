import type { TrialRecord } from "../../schema/trial.ts";
import { evidenceFolder } from "../layout.ts";
import { isAbsolutePath, placeOfRef } from "../ref-place.ts";
import { quoted, trialText } from "./row-words.ts";

export const leadsOut = "leads out of the bundle";

/** Why a path can be of no file of evidence, or null. Nothing is opened. */
export function evidencePathProblem(path: string): string | null {
  const steps = path.split("/");
  if (steps.includes("..") || isAbsolutePath(path)) return leadsOut;
  const isPlain = steps[0] === evidenceFolder && steps.length > 1 && !path.includes("\0");
  return isPlain && steps.every((step) => step !== "" && step !== ".")
    ? null
    : `is none below ${evidenceFolder}/`;
}

/** The same as a sentence without an end. */
export function evidencePathText(path: string): string | null {
  const problem = evidencePathProblem(path);
  return problem === null ? null : `the path ${quoted(path)} ${problem}`;
}

/** A ref of a trial to what is no part of the bundle. */
export interface StrayRef {
  /** Out by its own steps, or to an absolute path or a file URI, as runners give for what is not theirs to hand over. */
  readonly leads: "out" | "elsewhere";
  readonly text: string;
}

export function* strayRefs({
  id,
  taskId,
  evidence,
}: Pick<TrialRecord, "id" | "taskId" | "evidence">): Iterable<StrayRef> {
  for (const [name, { ref }] of Object.entries(evidence?.descriptors ?? {})) {
    const leads = ref === null ? "inside" : placeOfRef(ref);
    if (leads === "inside" || leads === "address") continue;
    const place = `the evidence ${quoted(name)} of ${trialText(taskId, id)} has the ref ${quoted(ref ?? "")}`;
    yield { leads, text: leads === "out" ? `${place}, which ${leadsOut}` : place };
  }
}
