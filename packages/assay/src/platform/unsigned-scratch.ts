import { nodeFileStore as files } from "./files/node-file-store.ts";

/** Far longer than it takes to sign a root. */
const signedWithinMs = 60_000;

/** Removes a root whose maker was killed before it had signed it: it holds no more than a half-written marker. */
export async function removeUnsigned(path: string, markerName: string, now: Date): Promise<void> {
  const facts = await files.stat(path);
  if (facts?.kind !== "directory" || now.getTime() - facts.modifiedMs < signedWithinMs) return;
  const names = await files.list(path);
  const isHalfWritten = (name: string) =>
    name.startsWith(`.${markerName}.`) && name.endsWith(".tmp");
  if (names.every(isHalfWritten)) await files.remove(path);
}
