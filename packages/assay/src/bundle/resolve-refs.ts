import path from "node:path";

import type { FileStore } from "../contracts/files.ts";
import type { EvidenceDescriptor, EvidenceSet } from "../schema/evidence.ts";
import { getOwn, setOwn } from "../support/json.ts";
import { evidenceFolder } from "./layout.ts";

/**
 * Evidence refs of a stored trial as absolute paths, wherever the bundle was moved to. Only what lies inside the bundle,
 * links resolved, is rewritten; a stale absolute path is looked for under `evidence/`; anything else stays as it is.
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
  if (ref === "" || /^[A-Za-z][A-Za-z0-9+.-]+:/.test(ref)) return ref;
  const own = path.isAbsolute(ref) ? ref : path.join(bundleDir, ref);
  if (await isInside(own, bundleDir, files)) return own;
  if (!path.isAbsolute(ref)) return ref;
  const parts = ref.split(/[\\/]/);
  const at = parts.indexOf(evidenceFolder);
  if (at < 0) return ref;
  const rebuilt = path.join(bundleDir, ...parts.slice(at));
  return (await isInside(rebuilt, bundleDir, files)) ? rebuilt : ref;
}

async function isInside(target: string, bundleDir: string, files: FileStore): Promise<boolean> {
  if ((await files.stat(target)) === null) return false;
  const relative = path.relative(await files.realPath(bundleDir), await files.realPath(target));
  return relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative);
}
