import { type DoorTools, WriteDoor } from "../bundle/write-door.ts";
import { describeThrown } from "../errors/assay-error.ts";
import type { RunOptions } from "./api.ts";
import { beginOutput, reopenOutput, runDirectory } from "./directory.ts";
import { begunInvocation } from "./invocations.ts";
import type { Lineage } from "./lineage.ts";
import type { Moment } from "./moment.ts";
import { reopenRun } from "./resume/reopen-run.ts";
import type { StoredRun } from "./resume/stored-run.ts";
import type { PreparedRun } from "./run-state.ts";
import type { Session } from "./session.ts";
import { Tally } from "./trials/tally.ts";

export interface SessionRequest {
  /** The run that goes on; null for a new one. */
  readonly stored: StoredRun | null;
  readonly started: Moment;
  readonly lineage: Lineage;
  readonly options: RunOptions;
}

/** Takes the run directory and writes what is to be done; from then on trials can be kept. */
export async function openSession(run: PreparedRun, request: SessionRequest): Promise<Session> {
  const { stored, options } = request;
  const session =
    stored === null
      ? await newSession(run, request)
      : await reopenOutput(() => reopenRun(run, stored, options, doorTools(run, request)));
  if (session.earlier?.isWhole === true) return session;
  try {
    await (stored === null ? beginOutput : reopenOutput)(() => begin(run, session, request));
  } catch (thrown) {
    await releaseSession(session, run);
    throw thrown;
  }
  for (const message of run.suite.notices ?? []) run.emit({ type: "warning", message });
  announce(run, session);
  return session;
}

/** By now the run is decided: a claim that stays is told, and costs nothing more. */
export async function releaseSession({ door }: Session, run: PreparedRun): Promise<void> {
  await door.release().catch((thrown: unknown) => {
    const message = `the claim on "${door.dir}" is left: ${describeThrown(thrown)}`;
    run.emit({ type: "warning", message });
  });
}

async function newSession(run: PreparedRun, request: SessionRequest): Promise<Session> {
  const directory = await runDirectory(request.options, run.platform);
  const tools = doorTools(run, request);
  const door = await beginOutput(() => WriteDoor.create(directory.path, run.scratch, tools));
  return { door, directory, plan: run.plan, tally: new Tally(), earlier: null };
}

function doorTools(
  { platform: { files, clock, identities }, redactor, token }: PreparedRun,
  { lineage }: SessionRequest,
): DoorTools {
  return { files, clock, identities, redactor, token, importRoots: lineage.evidenceRoots };
}

async function begin(run: PreparedRun, session: Session, request: SessionRequest): Promise<void> {
  const { runId, token, record, tasks } = run;
  const invocation = begunInvocation(run, session.earlier, request);
  await session.door.begin({
    manifest: {
      runId,
      token,
      status: "running",
      statusCause: null,
      provenanceSha256: null,
      invocations: [...(session.earlier?.invocations ?? []), invocation],
    },
    plan: record,
    tasks,
  });
}

function announce(run: PreparedRun, { door, plan }: Session): void {
  const scoreCount = plan.tasks.reduce(
    (sum, { task, trialIndexes }) => sum + task.metrics.length * trialIndexes.length,
    0,
  );
  run.emit({
    type: "run-start",
    runId: run.runId,
    taskCount: run.tasks.length,
    trialCount: plan.trialCount,
    earlierTrialCount: run.plan.trialCount - plan.trialCount,
    scoreCount,
    concurrency: run.concurrency,
    target: run.info,
    workDir: door.dir,
  });
}
