import path from "node:path";

import type { RunContext, Trial } from "../../contracts/runner.ts";
import { messageOf } from "../../errors/assay-error.ts";
import { parseForeignJson } from "../../support/foreign-json.ts";
import { formatRow } from "../../support/json.ts";
import type { Batch } from "../define/define-batch-runner.ts";
import { gymAggregates } from "./aggregates.ts";
import { Collection, type JobFiles, jobFiles } from "./collection.ts";
import { gymRow } from "./dataset.ts";
import { gymModel } from "./facts.ts";
import {
  collection,
  type GymPlaces,
  gymEnvironment,
  refuseSecrets,
  selection,
  withHeadServer,
  withRunFolder,
} from "./invocation.ts";
import { JobTrials } from "./job-trials.ts";
import { type Job, jobsOf } from "./jobs.ts";
import type { GymOptions } from "./options.ts";
import { checkRepeats, findGym, gymPlaces, headServerPort } from "./prerequisites.ts";
import { gymKeys } from "./rollout.ts";
import { GymServers } from "./servers.ts";
import { type GymFolders, makeFolders, refuseUsedFolder } from "./work-folder.ts";

/** What all jobs of a run share. */
interface Session {
  readonly batch: Batch<GymOptions>;
  readonly places: GymPlaces;
  readonly folders: GymFolders;
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  readonly servers: GymServers;
}

/** Starts Gym's servers, has them produce the trials, one job per repeat count, and ends them whatever happens. */
export async function* runGym(batch: Batch<GymOptions>): AsyncGenerator<Trial> {
  const { plan, options, context } = batch;
  if (context.closing.aborted) return;
  checkRepeats(options, plan.trialsPerTask);
  await refuseUsedFolder(options, context);
  const session = await startServers(batch);
  try {
    await session.servers.waitUntilReady();
    const jobs = jobsOf(plan);
    for (const job of jobs) {
      if (context.closing.aborted) return;
      yield* runJob(session, job);
    }
    await addAggregates(session, jobs);
  } catch (thrown) {
    // What is finished has been given: a cancelled run ends without a further word.
    if (!context.signal.aborted) throw thrown;
  } finally {
    await session.servers.stop();
  }
}

async function startServers(batch: Batch<GymOptions>): Promise<Session> {
  const { options, context } = batch;
  const { process, files, secrets } = context;
  const folders = await makeFolders(options, context);
  const folder = folders.run;
  const ownCwd = path.join(folder, "cwd");
  await files.makeDirectory(ownCwd);
  const program = await findGym(options, context);
  const places = await gymPlaces(options, { program, ownCwd }, context);
  const port = await headServerPort(options, context);
  const baseEnv = process.baseEnv(["HOME", ...options.inheritEnv]);
  const env = gymEnvironment({ options, baseEnv, secrets, program });
  const argv = withRunFolder(
    withHeadServer(selection(places, "start", options), port),
    path.join(folder, "gym_hydra"),
  );
  refuseSecrets(argv, secrets);
  const servers = new GymServers(
    {
      argv,
      cwd: places.cwd,
      env,
      folder,
      startupTimeoutMs: options.startupTimeoutS * 1000,
      graceMs: options.shutdownGraceS * 1000,
    },
    context,
  );
  return { batch, places, folders, env, port, servers };
}

async function* runJob(session: Session, job: Job): AsyncGenerator<Trial> {
  const { batch, places, folders, env, port, servers } = session;
  const folder = folders.run;
  const { options, context, tool } = batch;
  const files = jobFiles(folder, job.name);
  await writeInput(files, job, context);
  const argv = collection(places.program, files, {
    agent: options.agent,
    repeats: job.repeats,
    concurrency: options.concurrency ?? context.concurrency,
  });
  const gathering = new Collection(
    {
      argv: withRunFolder(
        withHeadServer(argv, port),
        path.join(folder, `gym_eval_hydra${job.name}`),
      ),
      cwd: places.cwd,
      env,
      files,
      folder,
      name: job.name,
      timeoutMs: options.collectionTimeoutS === null ? null : options.collectionTimeoutS * 1000,
      servers,
    },
    context,
  );
  const trials = new JobTrials({
    job,
    files,
    rewardKey: options.rewardKey,
    agent: options.agent,
    version: tool.version,
    requestedModel: gymModel(options)?.name ?? null,
    directory: path.join(folders.trials, String(job.repeats)),
    serverLog: () => servers.logEnd,
    context,
  });
  for await (const line of gathering.lines()) {
    const trial = await trials.ofRollout(line);
    if (trial !== null) yield trial;
  }
  yield* trials.ofFailures();
  trials.tellPassedOver();
  if (gathering.problem !== null) throw gathering.problem;
  if (!context.closing.aborted) await trials.checkEnd();
}

/** One row per task, with its place in the run, by which its rollouts are known again. */
async function writeInput(files: JobFiles, { tasks }: Job, context: RunContext): Promise<void> {
  function* rows(): Generator<Uint8Array> {
    for (const { task, taskIndex } of tasks)
      yield Buffer.from(`${formatRow({ ...gymRow(task), [gymKeys.taskIndex]: taskIndex })}\n`);
  }
  await context.files.writeNew(files.input, rows(), { isDurable: false });
}

/** Figures over a part of the run would be taken for figures over the whole. */
async function addAggregates(
  { batch, folders }: Session,
  [job, ...others]: readonly Job[],
): Promise<void> {
  const { plan, context, addAggregates: add } = batch;
  if (job === undefined || context.closing.aborted) return;
  if (others.length > 0 || plan.isRest === true) {
    context.log.warn("Gym's own figures are left out: they are of the trials of this start alone");
    return;
  }
  const file = jobFiles(folders.run, job.name).aggregates;
  try {
    add(gymAggregates(parseForeignJson(await context.files.readText(file), path.basename(file))));
  } catch (thrown) {
    context.log.warn(`Gym's own figures are left out: ${messageOf(thrown)}`);
  }
}
