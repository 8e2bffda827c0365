import type { Clock } from "../../contracts/clock.ts";
import type { ProcessCapability, ProcessRequest, ProcessResult } from "../../contracts/process.ts";
import { newToken } from "../../support/ids.ts";
import { onAbort } from "../on-abort.ts";
import { guardTree, releaseTree } from "./exit-guard.ts";
import { findProgram } from "./find-program.ts";
import { freePort } from "./free-port.ts";
import { holdersOfPipes } from "./holders.ts";
import {
  channelsOf,
  closeOutputs,
  discardOutputs,
  type OpenOutputs,
  openOutputs,
} from "./outputs.ts";
import { atExit } from "./parting-commands.ts";
import { processMarkVariable, runMarkVariable } from "./process-marks.ts";
import type { ProcessTable } from "./process-table.ts";
import {
  endTree,
  killTree,
  killUntilNone,
  type ProcessTree,
  rememberTree,
} from "./process-tree.ts";
import { reapBelow } from "./reap.ts";
import { type Exit, type StartedProcess, spawn } from "./spawn.ts";
import { createTableSource, hostStartTicks, type TableSource } from "./table-source.ts";
import { within } from "./within.ts";

const defaultGraceMs = 2000;
/** How long output may still come from others after the process itself has ended. */
const drainMs = 250;
/** How long to wait for the system to report the end of a process that was killed. */
const reapMs = 1000;
const inheritedNames = ["PATH", "LANG", "LC_ALL", "TZ", "TMPDIR"];

export interface ProcessCapabilityOptions {
  /** The run's token: every child carries it, and `reap` finds them by it. */
  readonly token: string;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

interface Context extends ProcessCapabilityOptions {
  readonly tables: TableSource;
  readonly minStartTicks: number;
}

type Cause = "exited" | "timed_out" | "cancelled";
type ProcessFacts = Omit<ProcessResult, "stdout" | "stderr" | "durationMs">;

const noSpawnError = { spawnError: null, spawnErrorCode: null };
const notStarted = { exitCode: null, signalName: null, survivorsKilled: 0, ...noSpawnError };

/** Starts programs for one run. POSIX only: trees are ended by signals. */
export function createProcessCapability(options: ProcessCapabilityOptions): ProcessCapability {
  const { hostEnv } = options;
  const minStartTicks = hostStartTicks();
  const context = { ...options, tables: createTableSource(minStartTicks), minStartTicks };
  return {
    run: (request) => run(request, context),
    find: (program, { path = hostEnv["PATH"] ?? "", cwd = process.cwd() } = {}) =>
      findProgram(program, { path, cwd }),
    endBelow: (directory) => reapBelow(directory, { tables: context.tables, minStartTicks }),
    atExit,
    freePort,
    baseEnv: (inherit = []) => pickEnv(hostEnv, [...inheritedNames, ...inherit]),
  };
}

function pickEnv(
  hostEnv: ProcessCapabilityOptions["hostEnv"],
  names: readonly string[],
): Readonly<Record<string, string>> {
  const values = names.map((name) => [name, hostEnv[name]] as const);
  return Object.fromEntries(
    values.filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

async function run(request: ProcessRequest, context: Context): Promise<ProcessResult> {
  const startedMs = context.clock.monotonicMs();
  const outputs = await openOutputs(request);
  try {
    const facts = await startAndSupervise(request, outputs, context);
    const durationMs = context.clock.monotonicMs() - startedMs;
    return { ...facts, ...(await closeOutputs(outputs)), durationMs };
  } catch (thrown) {
    await discardOutputs(outputs);
    throw thrown;
  }
}

async function startAndSupervise(
  request: ProcessRequest,
  outputs: OpenOutputs,
  context: Context,
): Promise<ProcessFacts> {
  if (request.signal?.aborted === true) return { ...notStarted, ending: "cancelled" };
  const mark = newToken();
  const marks = { [runMarkVariable]: context.token, [processMarkVariable]: mark };
  const started = await spawn({
    ...request,
    env: { ...request.env, ...marks },
    hasMessages: outputs.messages !== null,
  });
  if ("spawnError" in started) return { ...notStarted, ending: "spawn_failed", ...started };
  const tree = rememberTree(started.pid, mark);
  guardTree(tree);
  try {
    return await supervise({ request, started, outputs, tree }, context);
  } finally {
    releaseTree(tree);
  }
}

interface Supervision {
  readonly request: ProcessRequest;
  readonly started: StartedProcess;
  readonly outputs: OpenOutputs;
  readonly tree: ProcessTree;
}

/** Waits for the first cause of an end, then sees to it that nothing of the tree is left and all output is in. */
async function supervise(supervision: Supervision, context: Context): Promise<ProcessFacts> {
  const { request, started, outputs, tree } = supervision;
  const { graceMs = defaultGraceMs, stopSignal = "SIGTERM" } = request;
  const ending = { graceMs, stopSignal };
  const streams = channelsOf(outputs, started).map(({ collector, stream }) =>
    collector.collect(stream),
  );
  const collected = Promise.all(streams);
  try {
    const cause = await firstCause(supervision, collected, context.clock);
    if (cause === "exited") await within(collected, drainMs);
    const membersKilled =
      cause === "exited"
        ? await killTree(tree, context.tables)
        : await endTree(tree, ending, context.tables);
    const holdersKilled = await finishOutput(supervision, collected, context);
    const survivorsKilled = membersKilled + holdersKilled;
    const exit = (await within(started.exit, reapMs)) ?? { exitCode: null, signalName: null };
    return { ending: endingOf(cause, exit), ...exit, ...noSpawnError, survivorsKilled };
  } catch (thrown) {
    // The output has nowhere to go (a full disk, a callback that threw): the work is void, and must not go on unseen.
    await endTree(tree, ending, context.tables);
    abandon(supervision);
    await Promise.allSettled(streams);
    throw thrown;
  }
}

function endingOf(cause: Cause, exit: Exit): ProcessResult["ending"] {
  return cause === "exited" && exit.signalName !== null ? "signalled" : cause;
}

async function firstCause(
  { request, started }: Supervision,
  collected: Promise<unknown>,
  clock: Clock,
): Promise<Cause> {
  const { signal, timeoutMs } = request;
  const watch = new AbortController();
  const causes: Promise<Cause>[] = [
    started.exit.then(() => "exited"),
    collected.then(never),
    started.input.then(never),
  ];
  if (timeoutMs !== undefined) {
    causes.push(clock.sleep(timeoutMs, watch.signal).then(() => "timed_out"));
  }
  let stopListening = (): void => undefined;
  if (signal !== undefined) {
    const cancelled = new Promise<Cause>((resolve) => {
      stopListening = onAbort(signal, () => resolve("cancelled"));
    });
    causes.push(cancelled);
  }
  try {
    return await Promise.race(causes);
  } finally {
    stopListening();
    watch.abort();
  }
}

/** Ended output is no cause: processes close their output before they end. Nor is ended input. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

/**
 * All members are dead, so the pipes end as soon as they are read out, unless something else holds them: what is found by
 * that is killed too, and counted. Is it out of reach, the wait ends with the first pause in which nothing came and no disk
 * was waited for.
 */
async function finishOutput(
  supervision: Supervision,
  collected: Promise<unknown>,
  { tables, minStartTicks }: Context,
): Promise<number> {
  const { pipes } = supervision.tree;
  const find = (table: ProcessTable) => holdersOfPipes(pipes, table, minStartTicks);
  if ((await within(collected, drainMs)) !== null) return 0;
  const killed = pipes.size === 0 ? 0 : await killUntilNone(find, tables);
  const channels = channelsOf(supervision.outputs, supervision.started);
  const read = () => channels.reduce((sum, { collector }) => sum + collector.totalBytes, 0);
  for (let round = 0; round < 20; round += 1) {
    const before = read();
    if ((await within(collected, drainMs)) !== null) return killed;
    const isStorePending = channels.some(({ collector }) => collector.isStorePending);
    if (before === read() && !isStorePending) break;
  }
  abandon(supervision);
  await collected;
  return killed;
}

function abandon({ started, outputs }: Supervision): void {
  for (const { collector, stream } of channelsOf(outputs, started)) collector.abandon(stream);
}
