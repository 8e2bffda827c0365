import type { Clock } from "../../contracts/clock.ts";
import type { Liveness, ProcessIdentity } from "../../contracts/owner.ts";
import type { DockerClient } from "./client.ts";
import { label, readOwner } from "./labels.ts";
import { removeContainer, removeVolume } from "./remove.ts";

/** A container or volume that some run of Assay made. */
export interface OwnedThing {
  readonly kind: "container" | "volume";
  readonly name: string;
  readonly runId: string;
  readonly token: string;
  readonly owner: ProcessIdentity | null;
}

export interface SweepReport {
  readonly removed: readonly OwnedThing[];
  /** Its run goes on, or it cannot be known from here whether it does. */
  readonly kept: readonly OwnedThing[];
}

export interface SweepOptions {
  readonly clock: Clock;
  readonly livenessOf: (owner: ProcessIdentity) => Liveness;
  /** Nothing is removed. */
  readonly isDryRun?: boolean;
}

/** Removes what runs left whose process is dead, and only that. */
export async function sweepDead(client: DockerClient, options: SweepOptions): Promise<SweepReport> {
  const { clock, livenessOf, isDryRun = false } = options;
  const removed: OwnedThing[] = [];
  const kept: OwnedThing[] = [];
  for (const thing of await listOwned(client)) {
    const isDead = thing.owner !== null && livenessOf(thing.owner) === "dead";
    if (isDead && !isDryRun) await removeOwned(client, thing, clock);
    (isDead ? removed : kept).push(thing);
  }
  return { removed, kept };
}

/** Removes everything that carries a run's token; several times, for the engine may still be making something. */
export async function removeAllOf(
  client: DockerClient,
  token: string,
  clock: Clock,
): Promise<number> {
  const things = await listOwned(client, `${label.run}=${token}`);
  for (const thing of things) await removeOwned(client, thing, clock);
  return things.length;
}

async function removeOwned(
  client: DockerClient,
  { kind, name }: OwnedThing,
  clock: Clock,
): Promise<void> {
  await (kind === "container" ? removeContainer : removeVolume)(client, name, clock);
}

/** Containers first: a volume in use cannot be removed. */
async function listOwned(
  client: DockerClient,
  filter: string = label.owner,
): Promise<readonly OwnedThing[]> {
  const values = [label.runId, label.run, label.owner].map((name) => `{{.Label "${name}"}}`);
  const filtering = ["--filter", `label=${filter}`, "--format"];
  const containers = await client.answer("the containers of earlier runs cannot be listed", [
    ...["container", "ls", "--all", "--no-trunc"],
    ...filtering,
    ["{{.Names}}", ...values].join("\t"),
  ]);
  const volumes = await client.answer("the volumes of earlier runs cannot be listed", [
    ...["volume", "ls"],
    ...filtering,
    ["{{.Name}}", ...values].join("\t"),
  ]);
  return [...thingsOf("container", containers), ...thingsOf("volume", volumes)];
}

function thingsOf(kind: OwnedThing["kind"], text: string): OwnedThing[] {
  return text.split("\n").flatMap((line) => {
    const [name = "", runId = "", token = "", owner = ""] = line.split("\t");
    return name === "" ? [] : [{ kind, name, runId, token, owner: readOwner(owner) }];
  });
}

/**
 * The command that does so when this process is gone. It looks several times, for the engine may have been making a
 * container when nobody was left to wait for it. Pure.
 */
export function sweepCommand(program: string, token: string): readonly [string, ...string[]] {
  return ["sh", "-c", sweepRun, "sh", program, `label=${label.run}=${token}`];
}

const sweepRun = `
rounds=0
while [ "$rounds" -lt 10 ]; do
  found=$("$1" container ls --all --quiet --filter "$2") || exit 1
  [ -z "$found" ] || "$1" rm --force --volumes $found
  found=$("$1" volume ls --quiet --filter "$2")
  [ -z "$found" ] || "$1" volume rm --force $found
  rounds=$((rounds + 1))
  sleep 1
done`;
