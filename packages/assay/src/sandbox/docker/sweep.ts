import { z } from "zod";

import type { Clock } from "../../contracts/clock.ts";
import type { Liveness, ProcessIdentity } from "../../contracts/owner.ts";
import { parseJson } from "../../support/json.ts";
import { complaintOf, type DockerClient, failure, isGood } from "./client.ts";
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
  return [
    ...(await listKind(client, "container", filter)),
    ...(await listKind(client, "volume", filter)),
  ];
}

async function listKind(
  client: DockerClient,
  kind: OwnedThing["kind"],
  filter: string,
): Promise<readonly OwnedThing[]> {
  const list = [kind, "ls", ...(kind === "container" ? ["--all", "--no-trunc"] : [])];
  const args = [...list, "--filter", `label=${filter}`, "--format"];
  const name = kind === "container" ? "{{.Names}}" : "{{.Name}}";
  const values = [label.runId, label.run, label.owner].map((key) => `{{.Label "${key}"}}`);
  const result = await client.run([...args, [name, ...values].join("\t")]);
  if (isGood(result)) return thingsOf(kind, result.stdout.text.trim());
  const what = `the ${kind}s of earlier runs cannot be listed`;
  if (!/can't evaluate field Label/.test(complaintOf(result))) throw failure(what, result);
  // Podman before 5 has no such function, and writes JSON, which Docker does in another shape.
  return thingsOfJson(kind, await client.answer(what, [...args, "json"]));
}

function thingsOf(kind: OwnedThing["kind"], text: string): OwnedThing[] {
  return text.split("\n").flatMap((line) => {
    const [name = "", runId = "", token = "", owner = ""] = line.split("\t");
    return name === "" ? [] : [{ kind, name, runId, token, owner: readOwner(owner) }];
  });
}

const labels = z.record(z.string(), z.string()).nullish();
const listedSchema = z.array(
  z.union([
    z.object({ Names: z.array(z.string()), Labels: labels }),
    z.object({ Name: z.string(), Labels: labels }),
  ]),
);

function thingsOfJson(kind: OwnedThing["kind"], text: string): OwnedThing[] {
  return listedSchema.parse(parseJson(text, "podman ls")).map((thing) => {
    const of = (key: string) => thing.Labels?.[key] ?? "";
    return {
      kind,
      name: "Name" in thing ? thing.Name : (thing.Names[0] ?? ""),
      runId: of(label.runId),
      token: of(label.run),
      owner: readOwner(of(label.owner)),
    };
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
