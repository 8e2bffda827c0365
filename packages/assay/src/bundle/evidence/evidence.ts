import type { Evidence, FilesystemEvidence, LogEvidence } from "../../contracts/evidence.ts";
import type { FileStore } from "../../contracts/files.ts";
import type { ProcessCapability } from "../../contracts/process.ts";
import type { Trajectory } from "../../contracts/trajectory.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { EvidenceDescriptor, EvidenceSet } from "../../schema/evidence.ts";
import { createFilesystemEvidence } from "./filesystem-evidence.ts";
import { openLocalDirectory } from "./local-ref.ts";
import { createLogEvidence } from "./log-evidence.ts";

export interface EvidenceOptions {
  readonly set: EvidenceSet | null;
  /** Root of the bundle: relative refs start here and stay inside. */
  readonly baseDir: string;
  /** The bundle is somebody else's: refs that lead out of it are not followed. */
  readonly isForeign: boolean;
  readonly files: FileStore;
  readonly process: ProcessCapability;
  /** Where throwaway copies are made; default the system's folder for temporary files. */
  readonly scratch?: string;
}

/** Read access to the evidence of one trial. Throws `ASSAY_EVIDENCE_UNAVAILABLE` and `ASSAY_PATH_ESCAPES`. */
export function createEvidence(options: EvidenceOptions): Evidence {
  const descriptors = options.set?.descriptors ?? {};
  const filesystems = new Map<string, Promise<FilesystemEvidence>>();
  const logs = new Map<string, Promise<LogEvidence>>();
  const trajectories = new Map<string, Promise<Trajectory>>();

  const names = (kind?: string) =>
    Object.keys(descriptors).filter(
      (name) => kind === undefined || descriptors[name]?.kind === kind,
    );
  const get = (name: string): EvidenceDescriptor | null =>
    Object.hasOwn(descriptors, name) ? (descriptors[name] ?? null) : null;
  const require = (name: string, kind?: string): EvidenceDescriptor => {
    const descriptor = get(name);
    if (descriptor === null) throw missing(name, names());
    if (kind !== undefined && descriptor.kind !== kind) {
      throw new AssayError(
        "ASSAY_EVIDENCE_UNAVAILABLE",
        `evidence "${name}" is of kind "${descriptor.kind}", not "${kind}"`,
        {
          data: { name },
        },
      );
    }
    return descriptor;
  };
  const directoryOf = (name: string, kind: string) =>
    openLocalDirectory(name, require(name, kind).ref, options);

  return {
    names,
    get,
    require,
    filesystem: (name) =>
      cached(filesystems, name, async () =>
        createFilesystemEvidence(await directoryOf(name, "filesystem"), options),
      ),
    logs: (name = "logs") =>
      cached(logs, name, async () =>
        createLogEvidence(await directoryOf(name, "logs"), options.files),
      ),
    trajectory: (name = "trace", format) =>
      cached(trajectories, JSON.stringify([name, format]), async () => {
        // Loaded with the schemas of the formats, which most runs do not need.
        const { findTrace, readTrace } = await import("./trace-evidence.ts");
        return await readTrace(findTrace({ get, names, require }, name, format), options);
      }),
  };
}

async function cached<T>(
  handles: Map<string, Promise<T>>,
  name: string,
  open: () => Promise<T>,
): Promise<T> {
  const handle = handles.get(name) ?? open();
  handles.set(name, handle);
  return await handle;
}

function missing(name: string, known: readonly string[]): AssayError {
  const list = known.length === 0 ? "there is none" : `there is: ${known.join(", ")}`;
  return new AssayError("ASSAY_EVIDENCE_UNAVAILABLE", `there is no evidence "${name}"; ${list}`, {
    data: { name, isInputAbsent: true },
  });
}
