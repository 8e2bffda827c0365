import { type SourceHost, sourceFacts } from "../../provenance/source/source-facts.ts";
import type { EnvironmentRecord, HostRecord } from "../../schema/environment.ts";
import type { HostFacts, Platform } from "../platform.ts";

/** What a run is started with and on. Never throws for what is not known. */
export async function environmentFacts(
  place: Pick<SourceHost, "baseDir" | "process" | "signal">,
  platform: Platform,
): Promise<EnvironmentRecord> {
  const { files, host, assayVersion: version } = platform;
  const asking = sourceFacts({ ...place, files });
  // While git is asked.
  const integrity = platform.assayIntegrity();
  const source = await asking;
  return { assay: { version, integrity }, host: hostRecord(host), source };
}

/** No name, address or path of the machine. */
function hostRecord({ container, ...facts }: HostFacts): HostRecord {
  const { os, osRelease, architecture, cpuCount, nodeVersion } = facts;
  return {
    os,
    osRelease,
    architecture,
    cpuCount,
    nodeVersion,
    container: container ?? { unknown: "there is no sign of a container" },
  };
}
