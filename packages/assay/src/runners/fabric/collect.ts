import path from "node:path";

import { FreeNames } from "../../support/free-names.ts";
import { formatDocument, type JsonObject } from "../../support/json.ts";
import { isBelow } from "../../support/paths.ts";
import type { AttemptContext } from "../define/attempt-context.ts";
import type { TrialDraft } from "../define/draft.ts";
import { errorRecord, judge, type Verdict } from "./outcome.ts";
import type { TrialPlaces } from "./prepare.ts";
import { type ReadResult, readResult } from "./read-result.ts";
import type { DriverEnding } from "./run-driver.ts";
import { type RunResult, resultFacts, resultMetadata, textOfOutput } from "./run-result.ts";
import { findTrajectory } from "./trajectory-files.ts";
import { firstKnown, usageOfResult } from "./usage.ts";

type Context = Pick<AttemptContext<unknown>, "files" | "evidence" | "usage" | "log">;

export interface Collecting {
  readonly ended: DriverEnding;
  readonly places: TrialPlaces;
  /** The interpreter, for messages. */
  readonly python: string;
  /** What the runner says of every trial of its. */
  readonly identity: JsonObject;
  readonly model: string | null;
  readonly skills: readonly JsonObject[];
  /** A path of the result as it is on the host; null for one that is nowhere here. */
  readonly toHost: (place: string) => string | null;
  /** What became of the files of the attempt, where they had to be copied. */
  readonly collected?: JsonObject;
}

/** The draft of a trial, from what the driver said and what lies in its folder. Evidence and use are kept whatever comes of it. */
export async function draftOf(collecting: Collecting, context: Context): Promise<TrialDraft> {
  const { ended, places, python } = collecting;
  const { answer } = ended.reader;
  const read =
    answer?.type === "result" ? await readResult(places.result, answer, context.files) : null;
  const result = onHost(read?.result ?? null, collecting);
  const trajectoryMetadata = await addTrajectory(result, places, context);
  await addFiles(read, result, places, context);
  const verdict = judge(ended, read, python);
  if (verdict.error !== null) await addError(verdict, places, context);
  return draft(collecting, result, verdict, trajectoryMetadata);
}

/** Artifacts by their paths on this host; those that lie nowhere in the folder of the attempt are left out. */
function onHost(result: RunResult | null, { places, toHost }: Collecting): RunResult | null {
  if (result === null) return null;
  const artifacts = result.artifacts.flatMap((artifact) => {
    const place = toHost(artifact.path);
    const isHere = place !== null && isBelow(places.directory, path.resolve(place));
    return isHere ? [{ ...artifact, path: path.resolve(place) }] : [];
  });
  return { ...result, artifacts };
}

async function addTrajectory(
  result: RunResult | null,
  places: TrialPlaces,
  { files, evidence, usage, log }: Context,
): Promise<JsonObject> {
  const found = await findTrajectory(places.relay, result?.artifacts ?? [], files);
  usage.add(firstKnown(result === null ? null : usageOfResult(result), found.usage));
  const hasSpans = (await files.stat(places.spans))?.kind === "file";
  if (found.file !== null)
    evidence.add("trace", { kind: "trace", format: "atif", ref: found.file });
  if (hasSpans) {
    const name = found.file === null ? "trace" : "trace:otlp";
    evidence.add(name, { kind: "trace", format: "otlp", ref: places.spans });
  }
  if (found.file === null && found.count > 1)
    log.warn(`there are ${found.count} trajectories, and none is named as the one`);
  const format = found.file !== null ? "atif" : hasSpans ? "otlp" : null;
  return {
    ...(format === null ? {} : { trace_format: format }),
    ...(found.count > 1 ? { trajectory_count: found.count } : {}),
  };
}

/** Names of evidence that an artifact cannot have. */
const ownNames = ["task", "result", "error", "logs", "final_state", "trace", "trace:otlp"];

async function addFiles(
  read: ReadResult | null,
  result: RunResult | null,
  places: TrialPlaces,
  { files, evidence }: Context,
): Promise<void> {
  if (read !== null && (await files.stat(places.result))?.kind === "file") {
    const metadata = result === null ? {} : resultFacts(result);
    evidence.add("result", { kind: "result", format: "json", ref: places.result, metadata });
  }
  const free = new FreeNames(ownNames);
  for (const { name, kind, path: place, media_type: mediaType } of result?.artifacts ?? []) {
    if (kind === "atif" || (await files.stat(place))?.kind !== "file") continue;
    evidence.add(free.take(name), { kind, ref: place, metadata: { media_type: mediaType } });
  }
}

async function addError(
  verdict: Verdict,
  { directory }: TrialPlaces,
  { files, evidence }: Context,
): Promise<void> {
  const file = path.join(directory, "error.json");
  await files.writeAtomic(file, formatDocument(errorRecord(verdict)));
  evidence.add("error", { kind: "error", format: "json", ref: file });
}

function draft(
  { ended, identity, model, skills, collected = {} }: Collecting,
  result: RunResult | null,
  { error, fault }: Verdict,
  trajectoryMetadata: JsonObject,
): TrialDraft {
  const { reader, isTruncated, survivorsKilled } = ended;
  const told = { ...identity, agent_model: model };
  const metadata = {
    ...told,
    ...(result === null ? {} : resultMetadata(result)),
    ...(skills.length === 0 ? {} : { skills }),
    generated: true,
    ...trajectoryMetadata,
    ...(fault === null ? {} : { fabric_error: { stage: fault.stage, code: fault.code } }),
    ...(reader.strayLines > 0 ? { stray_lines: reader.strayLines } : {}),
    ...(isTruncated ? { output_truncated: true } : {}),
    ...(survivorsKilled > 0 ? { processes_killed: survivorsKilled } : {}),
    ...collected,
  };
  return {
    output:
      result === null || result.output === null
        ? null
        : { outputText: textOfOutput(result.output), response: result.output, metadata: told },
    ...(error === null ? {} : { error }),
    metadata,
    models: { requested: model, served: null },
  };
}
