import path from "node:path";

import type { RunContext, Trial } from "../../contracts/runner.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import type { EvidenceDescriptor } from "../../schema/evidence.ts";
import type { TrialError, TrialStatus } from "../../schema/trial.ts";
import { taskFolder } from "../../support/file-names.ts";
import { isPlainObject, parseJson } from "../../support/json.ts";
import { problemOfThrown } from "../define/attempt-problem.ts";
import { TrajectoryRecorder } from "../define/trajectory.ts";
import { UsageMeter } from "../define/usage.ts";
import { EventReader, type StreamFacts } from "./event-reader.ts";
import { evidenceFiles } from "./evidence-files.ts";
import { maxLineBytes, type ScannedLog, textBeside } from "./import-scan.ts";
import { faultOf } from "./outcome.ts";
import { streamMetadata } from "./stream-metadata.ts";

type Context = Pick<RunContext, "files" | "signal" | "scratch">;

interface ReadLog {
  readonly stream: StreamFacts;
  readonly trajectory: TrajectoryRecorder;
  readonly usage: UsageMeter;
}

/** The trial that a log tells of. */
export async function trialOfLog(log: ScannedLog, context: Context): Promise<Trial> {
  const { stream, trajectory, usage } = await readLog(log, context);
  const { task, taskIndex, trialIndex } = log;
  const id = trialIndex === 0 ? `${task.id}:codex` : `${task.id}:codex:${trialIndex}`;
  const end = await endOf(log, stream, context);
  const measurements = { ...usage.measurements(0), runtimeSec: null };
  const descriptors: Record<string, EvidenceDescriptor> = await besideLog(log, context);
  const folder = path.join(context.scratch, `${taskFolder(taskIndex, task.id)}-${trialIndex}`);
  const hasSteps = !trajectory.isEmpty;
  if (hasSteps) {
    const file = path.join(folder, "trajectory.atif.json");
    const session = {
      id: stream.threadId ?? id,
      agent: "codex",
      version: null,
      usage: measurements,
    };
    await context.files.makePrivateDirectory(folder);
    await context.files.writeAtomic(file, trajectory.format(session));
    descriptors["trace"] = { ...blank, kind: "trace", format: "atif", ref: file };
  }
  const { error, status, text } = end;
  return {
    id,
    taskId: task.id,
    trialIndex,
    status,
    output: text === null ? null : { outputText: text, response: null, metadata: {} },
    evidence: { descriptors, metadata: {} },
    error,
    measurements,
    metadata: {
      runtime: "codex_cli",
      agent: "codex",
      agent_ok: error === null,
      log: log.name,
      ...streamMetadata(stream),
    },
    ...(hasSteps ? { scratchDirectory: folder } : {}),
  };
}

async function readLog({ path: file }: ScannedLog, { files, signal }: Context): Promise<ReadLog> {
  const trajectory = new TrajectoryRecorder();
  const usage = new UsageMeter();
  const reader = new EventReader({
    // The stream tells no times.
    step: (step) => trajectory.add(step, null),
    addUsage: (turn) => usage.add(turn),
    // Known secrets are searched on both sides of a cut when the trial is stored.
    redact: (text) => text,
  });
  for await (const lines of files.readLineBatches(file, { refuseLink: true, maxLineBytes })) {
    signal.throwIfAborted();
    for (const line of lines) reader.readLine(line);
  }
  return { stream: reader.end(), trajectory, usage };
}

interface LogEnd {
  readonly status: TrialStatus;
  readonly text: string | null;
  readonly error: TrialError | null;
}

/** How it ended, as a runner would say it; the exit status is not told. */
async function endOf(log: ScannedLog, stream: StreamFacts, { files }: Context): Promise<LogEnd> {
  const { directory, isCutShort } = log;
  let text = stream.lastMessage;
  if (directory !== null) {
    try {
      const written = await textBeside(directory, "final_output.txt", files);
      if (written !== null && written !== "") text = written;
    } catch (thrown) {
      return partial(
        null,
        "OutputUnreadable",
        `final_output.txt cannot be read: ${messageOf(thrown)}`,
      );
    }
    const told = await errorBeside(directory, files);
    if (told !== null) return partial(text, told.type, told.message);
  }
  if (stream.failure !== null)
    return failure(text, `the turn failed: ${stream.failure}`, stream.failure);
  if (isCutShort) {
    const stderr = directory === null ? null : await textBeside(directory, "stderr.txt", files);
    const said = stderr?.trim() ?? "";
    return failure(text, `the log ends before a turn does${said === "" ? "" : `: ${said}`}`, said);
  }
  if ((text ?? "").trim() === "")
    return partial(text, "BlankReply", "the agent gave a blank reply");
  return { status: "completed", text, error: null };
}

function partial(text: string | null, type: string, message: string): LogEnd {
  return { status: "partial", text, error: errorOf(type, message) };
}

/** What is not the agent's doing says that the trial could not be produced. */
function failure(text: string | null, message: string, reason: string): LogEnd {
  const fault = faultOf(reason);
  if (fault === null) return partial(text, "AgentExitError", message);
  const { type } = problemOfThrown(new AssayError(fault.code, message));
  return { status: "failed", text: null, error: errorOf(type, message) };
}

function errorOf(type: string, message: string): TrialError {
  return { type, message, traceback: null, occurredAt: null };
}

/** `{ error_type, error }`, as runners of Codex write it. */
async function errorBeside(directory: string, files: Context["files"]) {
  const text = await textBeside(directory, "error.json", files);
  if (text === null) return null;
  try {
    const told = parseJson(text, "error.json");
    const { error_type: type, error } = isPlainObject(told) ? told : {};
    const isNamed = typeof type === "string" && type.trim() !== "";
    return {
      type: isNamed ? type : "UnknownException",
      message: typeof error === "string" ? error : text,
    };
  } catch {
    // Whatever it says, that it is there says that the run failed.
    return { type: "UnknownException", message: text };
  }
}

const blank = { data: null, description: null, metadata: {} };

async function besideLog(
  { directory, path: file }: ScannedLog,
  { files }: Context,
): Promise<Record<string, EvidenceDescriptor>> {
  const { kind, format } = evidenceFiles.stdout;
  const own = { stdout: { ...blank, kind, format, ref: file } };
  if (directory === null) return own;
  const found: Record<string, EvidenceDescriptor> = own;
  for (const [name, { file: other, ...descriptor }] of Object.entries(evidenceFiles)) {
    const ref = path.join(directory, other);
    if ((await files.stat(ref))?.kind === "file") found[name] = { ...blank, ...descriptor, ref };
  }
  const workspace = path.join(directory, "workspace");
  if ((await files.stat(workspace))?.kind === "directory") {
    const metadata = { role: "final_state" };
    found["final_state"] = {
      ...blank,
      kind: "filesystem",
      format: "dir",
      ref: workspace,
      metadata,
    };
  }
  return found;
}
