import path from "node:path";

import type { RunContext, Trial } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { EvidenceDescriptor } from "../../schema/evidence.ts";
import type { TrialError, TrialStatus } from "../../schema/trial.ts";
import { FreeNames } from "../../support/free-names.ts";
import { trialIdOf } from "../../support/ids.ts";
import { isBelow } from "../../support/paths.ts";
import { problemOfThrown } from "../define/attempt-problem.ts";
import type { LossList } from "../define/loss-list.ts";
import { UsageMeter } from "../define/usage.ts";
import type { FoundResult } from "./import-scan.ts";
import { verdictOfResult } from "./outcome.ts";
import { resultFacts, resultMetadata, textOfOutput } from "./run-result.ts";
import { findTrajectory } from "./trajectory-files.ts";
import { firstKnown, usageOfResult } from "./usage.ts";

type Files = RunContext["files"];

/** The trial that a result tells of. */
export async function trialOfResult(
  found: FoundResult,
  root: string,
  files: Files,
): Promise<Trial> {
  const { result, task, trialIndex } = found;
  const { descriptors, usage } = await evidenceOf(found, root, files);
  const meter = new UsageMeter();
  meter.add(firstKnown(usageOfResult(result), usage));
  const { status, error } = endOf(found);
  const output = {
    outputText: textOfOutput(result.output),
    response: result.output,
    metadata: {},
  };
  return {
    id: trialIdOf(task.id, "fabric", trialIndex),
    taskId: task.id,
    trialIndex,
    status,
    output: result.output === null ? null : output,
    evidence: { descriptors, metadata: {} },
    error,
    measurements: { ...meter.measurements(0), runtimeSec: null },
    metadata: {
      runtime: "fabric",
      agent_ok: error === null,
      result: found.name,
      ...resultMetadata(result),
      ...(result.error === null
        ? {}
        : { fabric_error: { stage: result.error.stage, code: result.error.code } }),
    },
  };
}

/** How it ended, as the runner would say it. */
function endOf({ result }: FoundResult): {
  readonly status: TrialStatus;
  readonly error: TrialError | null;
} {
  try {
    const { error } = verdictOfResult(result);
    if (error === null && result.output !== null) return { status: "completed", error: null };
    const { type, message } = error ?? {
      type: "BlankReply",
      message: "the agent gave a blank reply",
    };
    return { status: "partial", error: { type, message, traceback: null, occurredAt: null } };
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
    const { type, message } = problemOfThrown(thrown);
    return { status: "failed", error: { type, message, traceback: null, occurredAt: null } };
  }
}

const blank = { data: null, description: null, metadata: {} };
const ownNames = ["task", "result", "error", "logs", "final_state", "trace", "trace:otlp"];

async function evidenceOf(
  { path: file, directory, result }: FoundResult,
  root: string,
  files: Files,
) {
  const metadata = resultFacts(result);
  const descriptors: Record<string, EvidenceDescriptor> = {
    result: { ...blank, kind: "result", format: "json", ref: file, metadata },
  };
  const artifacts = artifactsBelow(root, { path: file, result });
  const relay = path.join(path.dirname(file), "relay");
  const trajectory = await findTrajectory(relay, artifacts, files);
  const named = artifacts.find(({ kind }) => kind === "atif");
  const trace = trajectory.file ?? named?.path ?? null;
  if (trace !== null && (await files.stat(trace))?.kind === "file")
    descriptors["trace"] = { ...blank, kind: "trace", format: "atif", ref: trace };
  const free = new FreeNames(ownNames);
  for (const { name, kind, path: place, media_type: mediaType } of artifacts) {
    if (kind === "atif" || (await files.stat(place))?.kind !== "file") continue;
    const facts = { media_type: mediaType };
    descriptors[free.take(name)] = { ...blank, kind, format: null, ref: place, metadata: facts };
  }
  if (directory !== null) Object.assign(descriptors, await besideResult(directory, files));
  return { descriptors, usage: trajectory.usage };
}

/** Artifacts that lie below what is imported; their paths are absolute, or start at the folder of the result. */
function artifactsBelow(
  root: string,
  { path: file, result }: Pick<FoundResult, "path" | "result">,
): FoundResult["result"]["artifacts"] {
  return result.artifacts.flatMap((artifact) => {
    const place = path.resolve(path.dirname(file), artifact.path);
    return isBelow(root, place) ? [{ ...artifact, path: place }] : [];
  });
}

/** What a run of the runner leaves beside a result. */
async function besideResult(
  directory: string,
  files: Files,
): Promise<Record<string, EvidenceDescriptor>> {
  const parts: readonly (readonly [string, string, "file" | "directory", EvidenceDescriptor])[] = [
    ["task", "task.json", "file", { ...blank, kind: "json", format: "json", ref: null }],
    ["error", "error.json", "file", { ...blank, kind: "error", format: "json", ref: null }],
    ["logs", "logs", "directory", { ...blank, kind: "logs", format: "dir", ref: null }],
    [
      "final_state",
      "workspace",
      "directory",
      { ...blank, kind: "filesystem", format: "dir", ref: null, metadata: { role: "final_state" } },
    ],
    [
      "trace:otlp",
      "relay/spans.otlp.jsonl",
      "file",
      { ...blank, kind: "trace", format: "otlp", ref: null },
    ],
  ];
  const found: Record<string, EvidenceDescriptor> = {};
  for (const [name, inner, kind, descriptor] of parts) {
    const ref = path.join(directory, inner);
    if ((await files.stat(ref))?.kind === kind) found[name] = { ...descriptor, ref };
  }
  return found;
}

/** What a result holds that a trial has no place for. */
export function noteLosses(found: FoundResult, root: string, losses: LossList): void {
  const { name, result } = found;
  const only = "it is kept in the evidence alone";
  if (Object.keys((result["metadata"] as object | undefined) ?? {}).length > 0)
    losses.add(`${name}: metadata`, `metadata of the result: ${only}`);
  if (result.runtime_id !== null)
    losses.add(`${name}: runtime_id`, `the id of the runtime: ${only}`);
  if (result.agent_name !== null)
    losses.add(`${name}: agent_name`, `the name of the agent: ${only}`);
  if (Object.keys((result.usage?.["metadata"] as object | undefined) ?? {}).length > 0)
    losses.add(`${name}: usage.metadata`, `details of the usage: ${only}`);
  const kept = artifactsBelow(root, found).length;
  const lost = result.artifacts.length - kept;
  if (lost > 0)
    losses.add(`${name}: artifacts`, "artifacts that do not lie below what is imported", lost);
}
