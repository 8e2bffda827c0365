/** Who is to blame for a failure, which decides retry, exit code and whether the target is charged. */
export type Fault =
  | "user"
  | "environment"
  | "infrastructure"
  | "target"
  | "metric"
  | "integrity"
  | "cancelled"
  | "bug";

interface CodeEntry {
  readonly fault: Fault;
  /** What happened, in one sentence, for `docs/errors.md`. */
  readonly means: string;
  /** What the reader does next. */
  readonly remedy: string;
  readonly retryable?: true;
}

/** Every code Assay can show. `docs/errors.md` is generated from this table. */
export const errorCodes = {
  ASSAY_USAGE: {
    fault: "user",
    means: "The command line was used in a way that does not exist.",
    remedy: "Read `assay <command> --help`.",
  },
  ASSAY_SUITE_NOT_FOUND: {
    fault: "user",
    means: "The suite file does not exist or cannot be read.",
    remedy: "Check the path given to the command.",
  },
  ASSAY_SUITE_LOAD_FAILED: {
    fault: "user",
    means: "The suite file could not be loaded: a syntax error, a missing import, or it threw.",
    remedy: "Mend the file at the place named.",
  },
  ASSAY_SUITE_INVALID: {
    fault: "user",
    means: "The suite does not have the expected shape.",
    remedy: "Mend what the message names; docs/suites.md shows suites in code, YAML and JSON.",
  },
  ASSAY_CONFIG_UNKNOWN_KEY: {
    fault: "user",
    means: "A key is not known here.",
    remedy: "Use the suggested key, or see `assay schema` and `assay runners`.",
  },
  ASSAY_CONFIG_INVALID: {
    fault: "user",
    means: "A value is missing or has the wrong shape.",
    remedy: "Give a value of the shape named in the message.",
  },
  ASSAY_NAME_UNKNOWN: {
    fault: "user",
    means: "No runner, metric, schema or parameter has this name.",
    remedy:
      "Use the suggested name; `assay runners` lists runners, `assay schema` metrics and files.",
  },
  ASSAY_TASK_INVALID: {
    fault: "user",
    means: "A task breaks a rule: its shape, its metrics, or its views.",
    remedy: "Mend the task named in the message.",
  },
  ASSAY_TASK_DUPLICATE: {
    fault: "user",
    means: "Two tasks have the same id.",
    remedy: "Give each task an id of its own.",
  },
  ASSAY_SEED_INVALID: {
    fault: "user",
    means: "A workspace seed is of no known kind, cannot be read, or leaves the workspace.",
    remedy: "Mend the entry of `inputs.files` named in the message.",
  },
  ASSAY_TEMPLATE_INVALID: {
    fault: "user",
    means: "A template has a syntax error, or cannot be rendered with the values it was given.",
    remedy: "Mend the template named in the message.",
  },
  ASSAY_TEMPLATE_UNDEFINED: {
    fault: "user",
    means: "A template names a value that does not exist.",
    remedy: "Use one of the keys listed in the message.",
  },
  ASSAY_TARGET_INVALID: {
    fault: "user",
    means: "The target is no runner: a member of the contract is missing or wrong.",
    remedy: "Implement the member named in the message; see docs/runners.md.",
  },
  ASSAY_OUTPUT_UNUSABLE: {
    fault: "user",
    means:
      "The output directory cannot be made or written, or lies in what is run; nothing was run.",
    remedy: "Give another directory with --out.",
  },
  ASSAY_OUTPUT_EXISTS: {
    fault: "user",
    means: "The output directory already holds a run.",
    remedy:
      "Give another directory with --out, or go on with the run that is there: `assay run --resume`.",
  },
  ASSAY_TRIALS_INVALID: {
    fault: "user",
    means: "Imported trials have not the shape of trials, or do not fit the tasks.",
    remedy:
      "Compare rows with `assay schema trial`; each task needs a trial, each trial a known task.",
  },
  ASSAY_RESULTS_INVALID: {
    fault: "user",
    means: "Results of another tool are not of the format they were said to be, or are broken.",
    remedy: "Look at the place named; `assay import --help` lists the formats.",
  },
  ASSAY_BUNDLE_NOT_FOUND: {
    fault: "user",
    means: "There is no bundle at this path.",
    remedy: "Give the directory that holds run.json.",
  },
  ASSAY_FILE_UNREADABLE: {
    fault: "user",
    means: "A file is missing, is no regular file, is larger than allowed, or cannot be read.",
    remedy: "Check the path and the permissions named in the message.",
  },
  ASSAY_KEY_INVALID: {
    fault: "user",
    means: "The key given to sign or to verify with is no Ed25519 key of that kind in PEM.",
    remedy: "Give a private key to sign with, and its public half to verify with.",
  },
  ASSAY_DIRECTORY_GONE: {
    fault: "environment",
    means: "The working directory does not exist any more.",
    remedy: "Change to a directory that exists.",
  },
  ASSAY_SCRATCH_UNUSABLE: {
    fault: "environment",
    means: "The private directory that agents and tools work in cannot be made; nothing was run.",
    remedy: "Set XDG_CACHE_HOME to a directory that can be written.",
  },
  ASSAY_SECRET_MISSING: {
    fault: "environment",
    means: "A declared secret is not set in the environment.",
    remedy: "Set the variable, or take its name out of `secrets`.",
  },
  ASSAY_SECRET_TOO_SHORT: {
    fault: "environment",
    means: "A declared secret has fewer than 8 bytes, too few to remove it safely from text.",
    remedy: "Use a longer secret, or allow it with `allowShort` (`allow_short` in YAML and JSON).",
  },
  ASSAY_RUN_CLAIMED: {
    fault: "user",
    means: "Another process writes this run directory, or may still do so on another machine.",
    remedy:
      "Wait for its end. When you know that it is dead, take the run over with `--take-over`.",
  },
  ASSAY_RESUME_DIFFERS: {
    fault: "user",
    means: "What would be resumed is not what was begun: settings, tasks, metrics or code differ.",
    remedy: "Undo each difference that is listed, or start a new run in another directory.",
  },
  ASSAY_TOOL_NOT_FOUND: {
    fault: "environment",
    means: "A program that the runner needs is not there.",
    remedy: "Install it or give its path; `assay doctor` shows what is found.",
  },
  ASSAY_TOOL_VERSION_TOO_OLD: {
    fault: "environment",
    means: "A program that the runner needs is older than the oldest version accepted.",
    remedy: "Install the version named in the message, or a later one.",
  },
  ASSAY_TOOL_UNUSABLE: {
    fault: "environment",
    means: "A program that the runner needs does not work as it is set up here.",
    remedy: "Follow the message; `assay doctor` shows what is found.",
  },
  ASSAY_IMAGE_NOT_FOUND: {
    fault: "environment",
    means: "A container image is not here and cannot be fetched.",
    remedy: "Check its name; `docker pull` shows why it cannot be fetched.",
  },
  ASSAY_IMAGE_BUILD_FAILED: {
    fault: "environment",
    means: "A container image could not be built; the end of the output is in the message.",
    remedy: "Mend the build: `docker build` with the same folder shows all of its output.",
  },
  ASSAY_SANDBOX_FAILED: {
    fault: "infrastructure",
    means: "A sandbox could not be made, was lost, or its engine failed.",
    remedy: "Check the engine with `docker info`; the attempt is repeated.",
    retryable: true,
  },
  ASSAY_PROCESS_SPAWN_FAILED: {
    fault: "infrastructure",
    means: "A process could not be started.",
    remedy: "Check that the program exists and may be run.",
    retryable: true,
  },
  ASSAY_CONNECTION_FAILED: {
    fault: "infrastructure",
    means: "A connection was refused, broke, or the endpoint answered with a server error.",
    remedy: "Check the endpoint; the attempt is repeated.",
    retryable: true,
  },
  ASSAY_RATE_LIMITED: {
    fault: "infrastructure",
    means: "The endpoint refused the request because there were too many.",
    remedy: "Lower the concurrency; the attempt is repeated.",
    retryable: true,
  },
  ASSAY_STORE_FAILED: {
    fault: "infrastructure",
    means: "The run directory cannot be written.",
    remedy:
      "Check free space and permissions, then go on with `--resume`: what was reported as done is kept.",
  },
  ASSAY_RUNNER_FAILED: {
    fault: "infrastructure",
    means: "The runner ended with an error before all trials were produced.",
    remedy: "Read the cause; trials produced before are kept.",
  },
  ASSAY_PROCESS_DISTURBED: {
    fault: "infrastructure",
    means: "Code in the same process changed what all code stands on, and the run broke.",
    remedy:
      "Take that out, or run the agent as a program of its own; reported trials are in trials.jsonl.",
  },
  ASSAY_METRIC_FAILED: {
    fault: "metric",
    means: "A metric threw, ran out of time or broke its declared outputs.",
    remedy: "Mend the metric; `assay rescore` repeats it without running the agent.",
  },
  ASSAY_EVIDENCE_UNAVAILABLE: {
    fault: "metric",
    means: "Evidence that was asked for is not there, is of another kind, or is not local.",
    remedy: "Ask for evidence that the runner leaves; the message lists it.",
  },
  ASSAY_TRAJECTORY_INVALID: {
    fault: "metric",
    means: "A recorded trajectory is no valid document of its format, or is larger than is read.",
    remedy: "Mend what records it; the message says what is wrong, and where.",
  },
  ASSAY_BUNDLE_DAMAGED: {
    fault: "integrity",
    means: "A file of the bundle is missing, altered, added or not readable.",
    remedy: "Get the bundle again from its source.",
  },
  ASSAY_BUNDLE_UNFINISHED: {
    fault: "infrastructure",
    means: "The run that writes this bundle has not ended, or was killed before it could end.",
    remedy: "Wait for its end. When its process is dead, finish it with `assay run --resume`.",
  },
  ASSAY_BUNDLE_VERSION: {
    fault: "integrity",
    means: "The bundle was written by a version of the format that this reader does not know.",
    remedy: "Read it with a newer Assay.",
  },
  ASSAY_PATH_ESCAPES: {
    fault: "integrity",
    means: "A path leads out of the folder it must stay in.",
    remedy: "Do not trust the source of this path.",
  },
  ASSAY_CANCELLED: {
    fault: "cancelled",
    means: "The work was cancelled before its end.",
    remedy: "Start it again.",
  },
  ASSAY_INVARIANT: {
    fault: "bug",
    means: "Assay broke a rule of its own.",
    remedy: "Report it with the text shown.",
  },
} as const satisfies Record<string, CodeEntry>;

export type ErrorCode = keyof typeof errorCodes;
