import path from "node:path";

import type { FileStore } from "../contracts/files.ts";
import type { EvidenceDescriptor, EvidenceSet } from "../schema/evidence.ts";
import { getOwn, setOwn } from "../support/json.ts";
import { pathInside } from "./evidence/contained-path.ts";
import { evidenceFolder } from "./layout.ts";
import { hasScheme } from "./ref-place.ts";

/**
 * Evidence refs of a stored trial as absolute paths, wherever the bundle was moved to. Only what lies inside the bundle,
 * links resolved, is rewritten; a stale path of any system is looked for under `evidence/`; anything else stays as it is.
 */
export async function resolveRefs(
  set: EvidenceSet | null,
  bundleDir: string,
  files: FileStore,
): Promise<EvidenceSet | null> {
  if (set === null) return null;
  const descriptors: Record<string, EvidenceDescriptor> = {};
  for (const name of Object.keys(set.descriptors)) {
    const descriptor = getOwn(set.descriptors, name) as EvidenceDescriptor;
    const ref = descriptor.ref === null ? null : await resolveRef(descriptor.ref, bundleDir, files);
    setOwn(descriptors, name, { ...descriptor, ref });
  }
  return { descriptors, metadata: set.metadata };
}

async function resolveRef(ref: string, bundleDir: string, files: FileStore): Promise<string> {
  const root = await files.realPath(bundleDir);
  for (const candidate of candidates(ref, bundleDir)) {
    const real = await pathInside(files, root, candidate);
    const isInside = real !== null && real !== root;
    if (isInside && (await files.stat(candidate)) !== null) return candidate;
  }
  return ref;
}

/** Absolute paths where the evidence may lie in this bundle, the likeliest first. */
function candidates(ref: string, bundleDir: string): string[] {
  const local = ref.replace(/^file:\/\/[^/]*/i, "");
  if (local === "" || hasScheme(local)) return [];
  const parts = local.split(/[\\/]/);
  const found = [path.isAbsolute(local) ? local : path.join(bundleDir, local)];
  for (const [index, part] of parts.entries())
    if (part === evidenceFolder) found.push(path.join(bundleDir, ...parts.slice(index)));
  return found;
}
