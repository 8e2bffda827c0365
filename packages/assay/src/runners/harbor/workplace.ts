import path from "node:path";

import type { RunContext } from "../../contracts/runner.ts";
import { isBelow } from "../../support/paths.ts";
import type { HarborOptions } from "./options.ts";

/** Where Harbor works in a run. */
export interface Workplace {
  /** Private, removed with the run. */
  readonly root: string;
  readonly home: string;
  readonly temporary: string;
  /** Below the workplace, or where the options keep jobs. */
  readonly jobsDir: string;
}

export async function openWorkplace(
  options: Pick<HarborOptions, "jobsDir">,
  { scratch, baseDir, files }: Pick<RunContext, "scratch" | "baseDir" | "files">,
): Promise<Workplace> {
  const root = path.join(scratch, "harbor");
  const [home, temporary] = [path.join(root, "home"), path.join(root, "tmp")];
  for (const directory of [root, home, temporary]) await files.makePrivateDirectory(directory);
  const kept = options.jobsDir;
  const jobsDir = kept === null ? path.join(root, "jobs") : path.resolve(baseDir, kept);
  await files.makeDirectory(jobsDir);
  return { root, home, temporary, jobsDir: await files.realPath(jobsDir) };
}

/** A trial's folder where evidence may be taken from: a copy, unless it lies in the run's own scratch. */
export interface Staged {
  readonly directory: string;
  /** To be removed when the evidence has been taken. */
  readonly scratchDirectory: string | null;
}

export async function stage(
  directory: string,
  number: number,
  { scratch, files }: Pick<RunContext, "scratch" | "files">,
): Promise<Staged> {
  if (isBelow(scratch, directory)) return { directory, scratchDirectory: null };
  const place = path.join(scratch, "harbor-trials", String(number));
  const copy = path.join(place, path.basename(directory));
  await files.makeDirectory(copy);
  await files.copyTree(directory, copy, { keepInnerLinks: true });
  return { directory: copy, scratchDirectory: place };
}

/** As Harbor names a job that nobody named: a stamp of UTC, down to microseconds. */
export function stampName(now: Date, isFree: (name: string) => boolean): string {
  const [day = "", time = ""] = now.toISOString().split("T");
  const base = `${day}__${time.slice(0, 8).replaceAll(":", "-")}__${time.slice(9, 12)}000`;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}__${number}`;
    if (isFree(name)) return name;
  }
}
