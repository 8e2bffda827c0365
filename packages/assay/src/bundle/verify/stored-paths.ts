import { evidenceFolder } from "../layout.ts";
import { hasScheme } from "../ref-scheme.ts";

export const leadsOut = "leads out of the bundle";

/** Why a path can be of no file of evidence, or null. Nothing is opened. */
export function evidencePathProblem(path: string): string | null {
  const steps = path.split("/");
  if (steps.includes("..") || isAbsolute(path)) return leadsOut;
  const isPlain = steps[0] === evidenceFolder && steps.length > 1 && !path.includes("\0");
  return isPlain && steps.every((step) => step !== "" && step !== ".")
    ? null
    : `is none below ${evidenceFolder}/`;
}

/**
 * Where a ref of a trial leads that is not into the bundle: `leads_out` by its own steps, `elsewhere` by an absolute path
 * or a file URI, as runners give for what is not theirs to hand over. Null for one into the bundle, and for addresses.
 */
export function refProblem(ref: string): "leads_out" | "elsewhere" | null {
  if (/^file:/i.test(ref) || isAbsolute(ref)) return "elsewhere";
  if (hasScheme(ref)) return null;
  let depth = 0;
  for (const step of ref.split(/[\\/]/)) {
    if (step === "..") depth -= 1;
    else if (step !== "" && step !== ".") depth += 1;
    if (depth < 0) return "leads_out";
  }
  return ref.includes("\0") ? "leads_out" : null;
}

function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:)/.test(path);
}
