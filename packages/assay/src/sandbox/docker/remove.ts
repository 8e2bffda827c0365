import type { Clock } from "../../contracts/clock.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { complaintOf, type DockerClient, isGood } from "./client.ts";

const maxTries = 20;
const pauseMs = 250;

/** What does not exist, or is being removed by somebody else, needs no removal. */
const isAbsent = /No such (container|object|volume)|no (container|volume) with/i;

/** Removes a container with its anonymous volumes, and all that runs in it. */
export async function removeContainer(
  client: DockerClient,
  name: string,
  clock: Clock,
): Promise<void> {
  await removeThing(client, ["rm", "--force", "--volumes", name], clock);
}

export async function removeVolume(
  client: DockerClient,
  name: string,
  clock: Clock,
): Promise<void> {
  await removeThing(client, ["volume", "rm", "--force", name], clock);
}

/** Tries until the engine knows nothing of it: an engine may be busy with it, or have begun to remove it. */
async function removeThing(
  client: DockerClient,
  args: readonly string[],
  clock: Clock,
): Promise<void> {
  let said = "";
  for (let attempt = 0; attempt < maxTries; attempt += 1) {
    const result = await client.run(args);
    said = complaintOf(result);
    if (isGood(result) || isAbsent.test(said)) return;
    // An engine that does not answer is not waited for again and again.
    if (result.ending === "timed_out") break;
    await clock.sleep(pauseMs);
  }
  const command = ["docker", ...args].join(" ");
  throw new AssayError("ASSAY_SANDBOX_FAILED", `${args.at(-1)} could not be removed: ${said}`, {
    remedy: `Remove it with \`${command}\`, or with \`assay clean\` once the run has ended.`,
  });
}
