import type { OptionOverride, RunOptions } from "../entries/index.ts";
import { environmentSettings } from "./settings.ts";

/** What `assay run` is given. */
export interface RunFlags {
  readonly out?: string;
  readonly trials?: number;
  readonly concurrency?: number;
  readonly set?: readonly OptionOverride[];
  readonly parameter?: Readonly<Record<string, string>>;
  readonly label?: Readonly<Record<string, string>>;
  readonly task?: readonly string[];
  readonly limit?: number;
  readonly failFast?: boolean;
  readonly resume?: boolean;
  readonly retryFailed?: boolean;
  readonly allowDrift?: boolean;
  readonly takeOver?: boolean;
  readonly maxCost?: number;
  readonly maxTokens?: number;
  readonly maxDuration?: number;
  readonly maxFailed?: number;
  readonly signKey?: string;
  readonly digest?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The options of a run that were given; a run that goes on has no default directory. */
export function runOptionsOf(flags: RunFlags, defaultDirectory: string): RunOptions {
  const { out, label, task, limit, trials, resume, concurrency, failFast, ...rest } = flags;
  const workDir = out ?? (resume === true ? undefined : defaultDirectory);
  const { retryFailed, allowDrift, takeOver } = rest;
  const { maxCost, maxTokens, maxDuration, maxFailed, signKey, digest } = rest;
  return given({
    workDir,
    trialsPerTask: trials,
    concurrency,
    failFast,
    labels: label,
    taskIds: task,
    limit,
    resume,
    retryFailed,
    allowDrift,
    takeOver,
    maxCostUsd: maxCost,
    maxTokens,
    maxDurationS: maxDuration,
    maxFailedTrials: maxFailed,
    signKeyFile: signKey,
    digest,
  });
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function given<T extends object>(values: T): Given<T> {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Given<T>;
}

/** Settings of the environment; a name that starts like one but leads nowhere is refused, not passed over. */
export async function settingsOf(
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly OptionOverride[]> {
  const { settings, unusable } = environmentSettings(env);
  const [first] = unusable;
  if (first === undefined) return settings;
  const { AssayError } = await import("../entries/index.ts");
  throw new AssayError(
    "ASSAY_USAGE",
    `the environment variable ${first} sets nothing: only options of the target can be set`,
    {
      data: { variable: first },
      remedy: "Name it ASSAY_SET_TARGET__<OPTION>, or take it out of the environment.",
    },
  );
}

/** The command line as it is recorded. Values of settings are left out: they are recorded as options, by their role. */
export function recordedArguments(argv: readonly string[]): readonly string[] {
  return [
    "assay",
    ...argv.map((word) => word.replace(/^((?:--set=)?target\.[^=]+=).*$/s, "$1...")),
  ];
}
