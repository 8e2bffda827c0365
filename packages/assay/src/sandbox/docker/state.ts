import { z } from "zod";

import type { SandboxState } from "../../contracts/sandbox.ts";
import { parseJson } from "../../support/json.ts";
import { complaintOf, type DockerClient, failure, isGood, isUnknownContainer } from "./client.ts";

const stateSchema = z.object({ Running: z.boolean(), OOMKilled: z.boolean().nullish() });

/** Processes that were killed for want of memory, as far as they are told of already. */
export interface OomKills {
  seen: number;
}

/** How a container is now; that one of its processes was killed before is not why it ended. Throws `ASSAY_SANDBOX_FAILED` when the engine does not say. */
export async function stateOf(
  client: DockerClient,
  name: string,
  { seen }: OomKills,
): Promise<SandboxState> {
  const args = ["container", "inspect", "--format", "{{json .State}}", name];
  const result = await client.run(args);
  if (!isGood(result)) {
    if (isUnknownContainer(complaintOf(result))) return "vanished";
    throw failure(`the state of the container ${name} is not known`, result);
  }
  const { Running, OOMKilled } = stateSchema.parse(parseJson(result.stdout.text, "docker inspect"));
  if (Running) return "running";
  return OOMKilled === true && seen === 0 ? "oom_killed" : "died";
}

/** The kernel's count, in either version of its control groups. */
const readKills = `
for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
  [ -r "$file" ] || continue
  while read -r name count; do if [ "$name" = oom_kill ]; then echo "$count"; fi; done <"$file"
done`;

/** How many processes of a container were killed for want of memory; null when that cannot be asked. */
export async function oomKillsIn(client: DockerClient, name: string): Promise<number | null> {
  const result = await client.run(["exec", name, "sh", "-c", readKills], { timeoutMs: 10_000 });
  const count = Number.parseInt(result.stdout.text, 10);
  return isGood(result) && Number.isInteger(count) ? count : null;
}
