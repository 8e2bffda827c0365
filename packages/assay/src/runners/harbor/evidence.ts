import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import type { TrajectoryFormat } from "../../contracts/trajectory.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { EvidenceDescriptor, EvidenceSet } from "../../schema/evidence.ts";
import { setOwn } from "../../support/json.ts";
import { maxTrajectoryBytes, parseTrajectory } from "../../trajectory/read-trajectory.ts";
import { standardEvidenceDescriptors } from "../define/standard-evidence.ts";

export interface TrialEvidence {
  readonly evidence: EvidenceSet;
  readonly trace: TraceFacts;
}

/** What the trajectories of a trial say. */
export interface TraceFacts {
  /** Of the evidence `trace`; null when there is none. */
  readonly format: TrajectoryFormat | null;
  /** What the agent said last. */
  readonly finalMessage: string | null;
  /** Trajectories that cannot be read, and why. */
  readonly problems: readonly string[];
}

/** Files that get a name of their own; the folder of the trial holds all of them. */
const maxNamedFiles = 200;
const maxDepth = 32;

type Files = Pick<FileStore, "walk" | "stat" | "readRegular">;

/** Everything that a trial left, by the names that Harbor's users know. The folder comes first: all else lies in it. */
export async function evidenceOf(directory: string, files: Files): Promise<TrialEvidence> {
  const { paths, notNamed } = await filesBelow(directory, files);
  const traces = tracesIn(paths);
  const trace = await readTraces(directory, traces, files);
  const place = (relative: string) => path.join(directory, relative);
  const chosen = trace.format === null ? null : (traces[trace.format] ?? null);
  const standard = await standardEvidenceDescriptors(
    {
      logsDir: place("agent"),
      finalStateDir: place("artifacts"),
      verifierLogsDir: place("verifier"),
      tracePath: chosen === null ? null : place(chosen),
      traceFormat: trace.format,
    },
    files,
  );
  const descriptors: Record<string, EvidenceDescriptor> = {
    trial_dir: { ...blank, kind: "filesystem", format: "dir", ref: directory },
    ...standard,
  };
  for (const relative of paths) {
    const descriptor = descriptorOf(relative, place(relative));
    for (const name of namesOf(relative)) setOwn(descriptors, name, descriptor);
  }
  for (const [format, relative] of Object.entries(traces))
    descriptors[`trace:${format}`] = { ...blank, kind: "trace", format, ref: place(relative) };
  return {
    evidence: { descriptors, metadata: notNamed > 0 ? { files_without_a_name: notNamed } : {} },
    trace,
  };
}

const blank = { data: null, description: null, metadata: {} };

async function filesBelow(directory: string, files: Files) {
  const paths: string[] = [];
  let notNamed = 0;
  for await (const entry of files.walk(directory, { maxDepth, onUnreadable: () => {} })) {
    if (entry.kind !== "file") continue;
    if (paths.length < maxNamedFiles) paths.push(entry.path);
    else notNamed += 1;
  }
  return { paths, notNamed };
}

function namesOf(relative: string): readonly string[] {
  const segments = relative.split("/");
  if (relative === "config.json") return ["config"];
  if (relative === "result.json") return ["result"];
  if (isTrace(segments)) return [`trace:${relative}`];
  if (segments[0] === "artifacts")
    return [`artifact:${relative}`, `artifact:${segments.slice(1).join("/")}`];
  return [`${relative.endsWith(".json") ? "json" : "log"}:${relative}`];
}

function descriptorOf(relative: string, ref: string): EvidenceDescriptor {
  const segments = relative.split("/");
  if (isTrace(segments)) return { ...blank, kind: "trace", format: formatOf(relative), ref };
  const kind = segments[0] === "artifacts" ? "artifact" : "logs";
  if (relative.endsWith(".json"))
    return { ...blank, kind: kind === "logs" ? "json" : kind, format: "json", ref };
  return { ...blank, kind, format: kind === "logs" ? "text" : null, ref };
}

function isTrace(segments: readonly string[]): boolean {
  return segments.slice(0, -1).includes("traces");
}

function formatOf(relative: string): TrajectoryFormat | null {
  if (relative.endsWith(".atif.json")) return "atif";
  return relative.endsWith(".jsonl") ? "otlp" : null;
}

/** Where Harbor's own agents leave theirs. */
const ownTrajectory = "agent/trajectory.json";

/** The first file of each format. */
function tracesIn(paths: readonly string[]): Partial<Record<TrajectoryFormat, string>> {
  const traces = paths.filter((relative) => isTrace(relative.split("/")));
  const otlp = traces.find((relative) => formatOf(relative) === "otlp");
  const atif =
    traces.find((relative) => formatOf(relative) === "atif") ??
    paths.find((relative) => relative === ownTrajectory);
  return {
    ...(otlp === undefined ? {} : { otlp }),
    ...(atif === undefined ? {} : { atif }),
  };
}

/** OTLP is preferred for the evidence; the last message is better told by ATIF. One that cannot be read is none. */
async function readTraces(
  directory: string,
  traces: Partial<Record<TrajectoryFormat, string>>,
  files: Files,
): Promise<TraceFacts> {
  const problems: string[] = [];
  let finalMessage: string | null = null;
  let format: TrajectoryFormat | null = null;
  for (const candidate of ["atif", "otlp"] as const) {
    const relative = traces[candidate];
    if (relative === undefined) continue;
    try {
      const bytes = await files.readRegular(path.join(directory, relative), {
        maxBytes: maxTrajectoryBytes,
      });
      const trajectory = parseTrajectory(bytes, { format: candidate, source: relative });
      finalMessage ??= trajectory.finalMessage;
      format = candidate;
    } catch (thrown) {
      if (!AssayError.isInstance(thrown)) throw thrown;
      problems.push(thrown.message);
      delete traces[candidate];
    }
  }
  return { format, finalMessage, problems };
}
