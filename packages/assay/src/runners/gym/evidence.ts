import path from "node:path";
import type { FileStore } from "../../contracts/files.ts";
import type { Trial } from "../../contracts/runner.ts";
import { evidenceSetSchema } from "../../schema/evidence.ts";
import type { RolloutRow } from "./rollout.ts";
import { trajectoryOf } from "./trajectory.ts";

export interface RowEvidence {
  readonly row: RolloutRow;
  /** As Gym wrote it. */
  readonly line: string;
  /** A directory for this trial alone, which need not be there yet. */
  readonly directory: string;
  readonly version: string | null;
  readonly agent: string;
  /** What Gym's servers said last; empty for nothing. */
  readonly serverLog?: string;
}

/** The trial with its row, whole, its trajectory, and the end of the servers' log as evidence. */
export async function withEvidence(
  trial: Trial,
  { row, line, directory, version, agent, serverLog = "" }: RowEvidence,
  files: Pick<FileStore, "makeDirectory" | "writeNew">,
): Promise<Trial> {
  await files.makeDirectory(directory);
  const write = async (name: string, text: string) => {
    const file = path.join(directory, name);
    await files.writeNew(file, [Buffer.from(text, "utf8")], { isDurable: false });
    return file;
  };
  const isFailure = trial.status === "failed" && trial.output === null;
  const key = isFailure ? "rollout_failure" : "rollout";
  const rollout = {
    kind: "filesystem",
    ref: await write(`${key}.json`, `${line}\n`),
    format: "file",
  };
  const trajectory = trajectoryOf(row.fields, {
    id: trial.id,
    agent,
    version,
    usage: trial.measurements,
  });
  const trace =
    trajectory === null
      ? {}
      : {
          trace: {
            kind: "trace",
            ref: await write("trajectory.atif.json", trajectory),
            format: "atif",
          },
        };
  const server =
    serverLog === ""
      ? {}
      : {
          server_log: {
            kind: "filesystem",
            ref: await write("gym_env.log", `${serverLog}\n`),
            format: "file",
          },
        };
  const descriptors = { [key]: rollout, ...trace, ...server };
  const evidence = evidenceSetSchema.parse({ descriptors });
  return { ...trial, evidence, scratchDirectory: directory };
}
