import { z } from "zod";

import { AssayError } from "../../errors/assay-error.ts";
import { dataMap, jsonValue } from "../../schema/free-form.ts";
import { hostPath } from "../../schema/path-option.ts";
import { namedFunction } from "../../support/named-function.ts";
import { type OptionsOutput, operational, shapes } from "../../support/options.ts";
import { rewardKeyProblem } from "./rewards.ts";

/** Makes a Harbor job in the folder `jobDir`, by a way of one's own. */
export type RunHarborJob = (signal: AbortSignal) => Promise<void>;

const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable");

const multiplier = (of: string) =>
  shapes(
    z
      .number()
      .positive()
      .nullable()
      .default(null)
      .describe(`Multiplies ${of} of the tasks; null leaves it to Harbor.`),
  );

const containerPath = z.string().min(1);

export const harborOptions = {
  /** Harbor's agent by name; null is its `oracle`, which does what the task's own solution says. */
  agentName: shapes(
    z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe(
        "Harbor's agent by name; null is its `oracle`, which does what the task's own solution says.",
      ),
  ),
  /** An agent of your own, `module:Class`; it wins over `agent_name`. */
  agentImportPath: shapes(
    z
      .string()
      .regex(/^[\w.]+:\w+$/, "must be module:Class")
      .nullable()
      .default(null)
      .describe("An agent of your own, `module:Class`; it wins over `agent_name`."),
  ),
  /** The folder with that agent's code: its parent is where Python looks for the module. Its content is recorded. */
  agentDir: operational(
    hostPath()
      .nullable()
      .default(null)
      .describe(
        "The folder with that agent's code: its parent is where Python looks for the module. Its content is recorded.",
      ),
    "where the code lies does not change it, and its content is recorded by digest",
  ),
  /** The model the agent is given, `provider/model`. */
  agentModelName: shapes(
    z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe("The model the agent is given, `provider/model`."),
  ),
  /** Settings of the agent. Not for secrets: Harbor writes them to its files. */
  agentKwargs: shapes(
    dataMap(jsonValue())
      .default({})
      .describe("Settings of the agent. Not for secrets: Harbor writes them to its files."),
  ),
  /** Names of variables that the agent gets in its container. Harbor's files hold the names alone. */
  agentEnvFromHost: shapes(
    z
      .array(variableName)
      .default([])
      .describe(
        "Names of variables that the agent gets in its container. Harbor's files hold the names alone.",
      ),
  ),
  /** Where agents run, as Harbor calls it. */
  environmentType: shapes(
    z.string().min(1).default("docker").describe("Where agents run, as Harbor calls it."),
  ),
  /** The dataset in place of the one that the tasks name: a task, or a folder of tasks. */
  datasetPath: shapes(
    hostPath()
      .nullable()
      .default(null)
      .describe(
        "The dataset in place of the one that the tasks name: a task, or a folder of tasks.",
      ),
  ),
  /** Folder names of the tasks that may be run; null allows all. */
  taskNames: shapes(
    z
      .array(z.string().min(1))
      .nullable()
      .default(null)
      .describe("Folder names of the tasks that may be run; null allows all."),
  ),
  /** Trials of each task; null takes the run's number, and any other number is refused. */
  nAttempts: shapes(
    z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe(
        "Trials of each task; null takes the run's number, and any other number is refused.",
      ),
  ),
  /** How often Harbor itself repeats a trial that an exception ended. */
  maxRetries: shapes(
    z
      .int()
      .nonnegative()
      .default(0)
      .describe("How often Harbor itself repeats a trial that an exception ended."),
  ),
  /** Multiplies all time limits of the tasks; null leaves it to Harbor. */
  timeoutMultiplier: multiplier("all time limits"),
  /** Multiplies the time limit of agents; null leaves it to Harbor. */
  agentTimeoutMultiplier: multiplier("the agent's time limit"),
  /** Multiplies the time limit of tests; null leaves it to Harbor. */
  verifierTimeoutMultiplier: multiplier("the verifier's time limit"),
  /** Multiplies the time limit of setting an agent up; null leaves it to Harbor. */
  agentSetupTimeoutMultiplier: multiplier("the time limit of the agent's set-up"),
  /** Multiplies the time limit of building; null leaves it to Harbor. */
  environmentBuildTimeoutMultiplier: multiplier("the time limit of building the environment"),
  /** What is copied out of the container after a trial: paths, or `{ source, destination }`. */
  artifacts: shapes(
    z
      .array(
        z.union([
          containerPath,
          z.strictObject({ source: containerPath, destination: z.string().min(1) }),
        ]),
      )
      .default([])
      .describe(
        "What is copied out of the container after a trial: paths, or `{ source, destination }`.",
      ),
  ),
  /** Where in the container the agent leaves trajectories; the verifier gets it as TRACE_DIR. */
  traceDir: shapes(
    containerPath
      .nullable()
      .default(null)
      .describe(
        "Where in the container the agent leaves trajectories; the verifier gets it as TRACE_DIR.",
      ),
  ),
  /** Which of the verifier's rewards counts. */
  rewardKey: shapes(
    z.string().default("reward").describe("Which of the verifier's rewards counts."),
  ),
  /** Names of host variables that Harbor gets too. */
  inheritEnv: shapes(
    z.array(variableName).default([]).describe("Names of host variables that Harbor gets too."),
  ),
  /** A finished job to take the trials of: nothing is run, unless `run_job` makes it. */
  jobDir: shapes(
    hostPath()
      .nullable()
      .default(null)
      .describe("A finished job to take the trials of: nothing is run, unless `run_job` makes it."),
  ),
  /** Makes the job in `job_dir`, in place of `harbor run`. */
  runJob: shapes(
    namedFunction<"run", RunHarborJob>("run")
      .nullable()
      .default(null)
      .describe("Makes the job in `job_dir`, in place of `harbor run`."),
  ),
  /** Where jobs are kept; null keeps none beyond the run. */
  jobsDir: operational(
    hostPath()
      .nullable()
      .default(null)
      .describe("Where jobs are kept; null keeps none beyond the run."),
    "where jobs are written does not change what is in them",
  ),
  /** A fixed name of the job: what is finished in it is not run again. Needs `jobs_dir`. */
  jobName: operational(
    z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe(
        "A fixed name of the job: what is finished in it is not run again. Needs `jobs_dir`.",
      ),
    "a name; each trial that was there before says so in the ledger",
  ),
  /** Removes the job of that name first. */
  forceRerun: operational(
    z.boolean().default(false).describe("Removes the job of that name first."),
    "whether a trial was run now or before is told by the ledger",
  ),
  /** Harbor shows no progress of its own in its log. */
  quiet: operational(
    z.boolean().default(true).describe("Harbor shows no progress of its own in its log."),
    "it changes what Harbor prints, nothing else",
  ),
  /** The harbor command: a name on PATH, or a path. */
  harborBin: operational(
    hostPath().default("harbor").describe("The harbor command: a name on PATH, or a path."),
    "where the program lies does not change it, and its version is recorded",
  ),
  /** Trials at once; null takes the run's concurrency. */
  nConcurrentTrials: operational(
    z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe("Trials at once; null takes the run's concurrency."),
    "how many trials run at once does not change what one trial does",
  ),
};

export type HarborOptions = OptionsOutput<typeof harborOptions>;

/** What starts or reads the job. */
export type HarborMode = "native" | "injected" | "offline";

export function modeOf({ jobDir, runJob }: Pick<HarborOptions, "jobDir" | "runJob">): HarborMode {
  if (jobDir === null) return "native";
  return runJob === null ? "offline" : "injected";
}

/** Null where Harbor is not run by Assay. */
export function effectiveAgent(options: HarborOptions): string | null {
  if (modeOf(options) !== "native") return null;
  return options.agentImportPath ?? options.agentName ?? "oracle";
}

/** Options that say how `harbor run` is done. */
const nativeOnly = [
  "agentName",
  "agentImportPath",
  "agentDir",
  "agentModelName",
  "jobsDir",
  "jobName",
  "traceDir",
  "datasetPath",
] as const satisfies readonly (keyof HarborOptions)[];

export function checkHarborOptions(options: HarborOptions): void {
  const { agentDir, agentImportPath, jobDir, runJob, jobName, jobsDir, rewardKey } = options;
  if (runJob !== null && jobDir === null) refuse("run_job needs job_dir: where it makes the job");
  if (agentDir !== null && agentImportPath === null)
    refuse("agent_dir needs agent_import_path: which class of that folder is the agent");
  const foreign = jobDir === null ? undefined : nativeOnly.find((name) => options[name] !== null);
  if (foreign !== undefined)
    refuse(`${foreign} says how Harbor is run, and job_dir that it is not: give one of them`);
  if (jobName !== null && jobsDir === null)
    refuse("job_name needs jobs_dir: a job that is to be found again has to be kept");
  if (jobName !== null) checkJobName(jobName);
  const problem = rewardKeyProblem(rewardKey);
  if (problem !== null)
    refuse(
      `reward_key ${JSON.stringify(rewardKey.slice(0, 80))} is no key of a reward (${problem}): 1 to 255 characters, no control characters, not ending in .pass@<n>`,
    );
}

/** The job is one folder of `jobs_dir`: it may be removed. */
function checkJobName(jobName: string): void {
  const isFolderName = !/[/\\\0]/.test(jobName) && jobName !== "." && jobName !== "..";
  if (!isFolderName || Buffer.byteLength(jobName) > 200)
    refuse(`job_name ${JSON.stringify(jobName)} is not the name of a folder below jobs_dir`);
}

function refuse(problem: string): never {
  throw new AssayError("ASSAY_CONFIG_INVALID", `harbor: ${problem}`);
}
