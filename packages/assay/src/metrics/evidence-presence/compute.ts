import type { Evidence } from "../../contracts/evidence.ts";

export interface Presence {
  readonly isPresent: boolean;
  /** Why not, for people; null when it is present. */
  readonly why: string | null;
}

/** Whether a directory of evidence is there and, if asked, holds something. Throws what the evidence throws. */
export async function presenceOf(
  evidence: Evidence,
  name: string,
  { mustHoldSomething }: { readonly mustHoldSomething: boolean },
): Promise<Presence> {
  const entries = await (await evidence.filesystem(name)).iteratePaths();
  const isPresent = entries.length > 0 || !mustHoldSomething;
  return { isPresent, why: isPresent ? null : `the evidence "${name}" is empty` };
}
