import type { Clock } from "../../contracts/clock.ts";
import type { ProcessResult } from "../../contracts/process.ts";
import type { ExecRequest, ExecResult } from "../../contracts/sandbox.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { newToken } from "../../support/ids.ts";
import { complaintOf, type DockerClient, failure, isGood } from "./client.ts";
import {
  commandMarkVariable,
  endAll,
  endCommand,
  type MarkedCommand,
  runCommand,
} from "./end-command.ts";
import { environmentFlags } from "./env-file.ts";
import { type OomKills, oomKillsIn, stateOf } from "./state.ts";

const defaultGraceMs = 2000;
/** How long the docker command may take to tell of an end that was forced inside. */
const lateMs = 1000;
const maxEndings = 4;
const shownBytes = 64 * 1024;

export interface ExecPlace {
  readonly client: DockerClient;
  readonly clock: Clock;
  readonly container: string;
  readonly workdir: string;
  readonly user: string | undefined;
  readonly oom: OomKills;
}

const noOutput = { text: "", totalBytes: 0, isTruncated: false };
const notBegun: ExecResult = {
  ending: "cancelled",
  exitCode: null,
  stdout: noOutput,
  stderr: noOutput,
  durationMs: 0,
  isSandboxRunning: true,
};

type Cause = "exited" | "timed_out" | "cancelled";

/** Runs one command in a container, and ends it there in time: the end of the docker command ends nothing inside. */
export async function execIn(place: ExecPlace, request: ExecRequest): Promise<ExecResult> {
  const { client, clock, container } = place;
  const startedMs = clock.monotonicMs();
  if (request.signal?.aborted === true) return notBegun;
  const mark = newToken();
  const environment = await environmentFlags(request.env ?? {}, client.access);
  const user = request.user ?? place.user;
  const detach = new AbortController();
  try {
    const running = client.run(
      execArgs({ ...place, user }, request, [
        ...environment.flags,
        ...["--env", `${commandMarkVariable}=${mark}`],
      ]),
      {
        ...(request.stdin === undefined ? {} : { stdin: request.stdin }),
        stdout: request.stdout ?? {},
        // The engine's own words come here too.
        stderr: { ...request.stderr, keepBytes: request.stderr?.keepBytes || shownBytes },
        env: environment.env,
        timeoutMs: Number.POSITIVE_INFINITY,
        signal: detach.signal,
      },
    );
    const cause = await firstCause(running, request, clock);
    let isSandboxRunning = true;
    if (cause !== "exited") {
      const { graceMs = defaultGraceMs } = request;
      const command = { container, mark, user, graceMs };
      isSandboxRunning = await endStarted(place, command, running);
      detach.abort();
    }
    const result = await running;
    const ended =
      cause === "exited"
        ? await endingOf(place, result)
        : { ending: cause, exitCode: null, isSandboxRunning };
    const { stdout, stderr } = result;
    return { ...ended, stdout, stderr, durationMs: clock.monotonicMs() - startedMs };
  } finally {
    await environment.dispose();
  }
}

function execArgs(
  { container, workdir, user }: ExecPlace,
  { argv, cwd, stdin }: ExecRequest,
  environment: readonly string[],
): string[] {
  return [
    "exec",
    ...(stdin === undefined ? [] : ["--interactive"]),
    ...["--workdir", cwd ?? workdir],
    ...(user === undefined ? [] : ["--user", user]),
    ...environment,
    container,
    ...["sh", "-c", runCommand, "sh"],
    ...argv,
  ];
}

async function firstCause(
  running: Promise<unknown>,
  { timeoutMs, signal }: ExecRequest,
  clock: Clock,
): Promise<Cause> {
  const watch = new AbortController();
  const causes: Promise<Cause>[] = [running.then(() => "exited")];
  if (timeoutMs !== undefined)
    causes.push(clock.sleep(timeoutMs, watch.signal).then(() => "timed_out"));
  let onAbort = () => {};
  if (signal !== undefined) {
    causes.push(
      new Promise((resolve) => {
        onAbort = () => resolve("cancelled");
        if (signal.aborted) onAbort();
        else signal.addEventListener("abort", onAbort, { once: true });
      }),
    );
  }
  try {
    return await Promise.race(causes);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    watch.abort();
    for (const cause of causes) cause.catch(() => {});
  }
}

/**
 * Ends a command until the docker command tells of its end: one that was only about to begin is not found the first time.
 * False when the whole container had to be ended.
 */
async function endStarted(
  { client, clock }: ExecPlace,
  command: MarkedCommand,
  running: Promise<unknown>,
): Promise<boolean> {
  let graceMs = command.graceMs;
  for (let attempt = 0; attempt < maxEndings; attempt += 1) {
    if (!(await endCommand(client, { ...command, graceMs }))) return false;
    if (await isSettledWithin(running, lateMs, clock)) return true;
    graceMs = 0;
  }
  // Something that was not found holds its output, or it may yet begin.
  if ((await endAll(client, command.container)) && (await isSettledWithin(running, lateMs, clock)))
    return true;
  await client.run(["kill", command.container]);
  return false;
}

async function isSettledWithin(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const watch = new AbortController();
  const settled = work.then(
    () => true,
    () => true,
  );
  const late = clock.sleep(ms, watch.signal).then(
    () => false,
    () => false,
  );
  const isSettled = await Promise.race([settled, late]);
  watch.abort();
  return isSettled;
}

/** Whose end it was: the command's, for want of memory, or that of the whole container. */
async function endingOf(
  { client, container, oom }: ExecPlace,
  result: ProcessResult,
): Promise<Pick<ExecResult, "ending" | "exitCode" | "isSandboxRunning">> {
  const { exitCode } = result;
  if (isGood(result)) return { ending: "exited", exitCode, isSandboxRunning: true };
  if (result.ending === "spawn_failed") {
    throw new AssayError("ASSAY_PROCESS_SPAWN_FAILED", complaintOf(result));
  }
  const state = await stateOf(client, container, oom);
  if (state !== "running") return { ending: state, exitCode: null, isSandboxRunning: false };
  if (isEngineFault(result)) throw failure(`a command could not be run in ${container}`, result);
  const kills = await oomKillsIn(client, container);
  const isOutOfMemory = kills !== null && kills > oom.seen;
  oom.seen = kills ?? oom.seen;
  return { ending: isOutOfMemory ? "oom_killed" : "exited", exitCode, isSandboxRunning: true };
}

/** The engine says so itself, in place of the command; older ones on stdout. */
function isEngineFault({ stderr, stdout }: ProcessResult): boolean {
  const said = stderr.totalBytes === 0 ? stdout.text : stderr.text;
  return /^(Error response from daemon: |OCI runtime exec failed: )/.test(said);
}
