import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";

import { z } from "zod";

import type { Clock } from "../contracts/clock.ts";
import type { ProcessIdentity } from "../contracts/owner.ts";
import type { ScratchEntry } from "../contracts/scratch.ts";
import { AssayError, messageOf } from "../errors/assay-error.ts";
import { formatDocument, parseJson } from "../support/json.ts";
import { nodeFileStore as files } from "./files/node-file-store.ts";
import { writing } from "./files/system-errors.ts";
import { livenessOf, readOwnIdentity } from "./process-identity.ts";
import { removeUnsigned } from "./unsigned-scratch.ts";

const markerName = "assay-scratch.json";
const folderName = /^assay-[0-9a-f]{8}$/;

const markerSchema = z.object({
  token: z.string().regex(/^[0-9a-f]{16,}$/),
  run_id: z.string(),
  created_at: z.string(),
  hostname: z.string(),
  boot_id: z.string().nullable(),
  pid_namespace: z.string().nullable(),
  pid: z.int(),
  start_ticks: z.int().nullable(),
});

/** A private root that agents and tools of one run write below. */
export interface Scratch {
  readonly path: string;
  readonly token: string;
  remove(): Promise<void>;
}

export interface ScratchOptions {
  readonly parent: string;
  readonly token: string;
  readonly runId: string;
  readonly clock: Clock;
  /** Removed when this process ends, unless it was before. */
  readonly isRemovedAtExit?: boolean;
}

/** `<user's cache>/assay/scratch`. Not the temporary directory: Codex refuses to work with a home that lies there. */
export function defaultScratchParent(
  env: Readonly<Record<string, string | undefined>>,
  homeDirectory: string,
): string {
  const cache = env["XDG_CACHE_HOME"];
  // The XDG specification has relative paths ignored.
  const root = cache?.startsWith("/") === true ? cache : join(homeDirectory, ".cache");
  return join(root, "assay", "scratch");
}

export async function createScratch(options: ScratchOptions): Promise<Scratch> {
  const { parent, token, runId, clock } = options;
  const path = await makeRoot(parent);
  await removeAllUnsigned(parent, clock.now());
  if (options.isRemovedAtExit === true) removeAtExit(path);
  const own = readOwnIdentity();
  const marker: z.infer<typeof markerSchema> = {
    token,
    run_id: runId,
    created_at: clock.now().toISOString(),
    hostname: own.hostname,
    boot_id: own.bootId,
    pid_namespace: own.pidNamespace,
    pid: own.pid,
    start_ticks: own.startTicks,
  };
  await files.writeAtomic(join(path, markerName), formatDocument(marker));
  return { path, token, remove: () => files.remove(path) };
}

/** What cannot be removed costs the run nothing. */
async function removeAllUnsigned(parent: string, now: Date): Promise<void> {
  for (const name of await files.list(parent)) {
    const path = join(parent, name);
    if (!folderName.test(name) || !(await isOwnDirectory(path))) continue;
    await removeUnsigned(path, markerName, now).catch(() => {});
  }
}

async function makeRoot(parent: string): Promise<string> {
  try {
    await files.makeDirectory(parent);
    // Without links, as the system names the places where processes are.
    const path = join(await files.realPath(parent), `assay-${randomBytes(4).toString("hex")}`);
    await writing(path, () => mkdir(path, { mode: 0o700 }));
    return path;
  } catch (cause) {
    const message = `no scratch directory can be made: ${messageOf(cause)}`;
    throw new AssayError("ASSAY_SCRATCH_UNUSABLE", message, { cause, data: { parent } });
  }
}

const doomed = new Set<string>();

function removeAtExit(path: string): void {
  if (doomed.size === 0) process.once("exit", removeDoomed);
  doomed.add(path);
}

function removeDoomed(): void {
  for (const path of doomed) rmSync(path, { recursive: true, force: true });
}

/** The scratch roots of this user below the directory, those of living runs too. What is no such root is left out. */
export async function listScratch(given: string): Promise<readonly ScratchEntry[]> {
  if ((await files.stat(given))?.kind !== "directory") return [];
  const parent = await files.realPath(given);
  const own = readOwnIdentity();
  const entries: ScratchEntry[] = [];
  for (const name of await files.list(parent)) {
    const path = join(parent, name);
    if (!folderName.test(name) || !(await isOwnDirectory(path))) continue;
    const entry = await readEntry(path, own);
    if (entry !== null) entries.push(entry);
  }
  return entries;
}

export async function removeScratch(entry: ScratchEntry): Promise<void> {
  await files.remove(entry.path);
}

async function readEntry(path: string, own: ProcessIdentity): Promise<ScratchEntry | null> {
  const marker = await readMarker(join(path, markerName));
  if (marker === null) return null;
  const owner = livenessOf(
    {
      hostname: marker.hostname,
      bootId: marker.boot_id,
      pidNamespace: marker.pid_namespace,
      pid: marker.pid,
      startTicks: marker.start_ticks,
    },
    own,
  );
  const { token, run_id: runId, created_at: createdAt } = marker;
  return { path, token, runId, createdAt, owner, isAlive: owner !== "dead" };
}

/** Null for what we did not write: a root is only recognised, and removed, by a whole marker. */
async function readMarker(path: string): Promise<z.infer<typeof markerSchema> | null> {
  try {
    const bytes = await files.readRegular(path, { maxBytes: 64 * 1024 });
    return markerSchema.parse(parseJson(Buffer.from(bytes).toString("utf8"), path));
  } catch (thrown) {
    if (AssayError.isInstance(thrown) || thrown instanceof z.ZodError) return null;
    throw thrown;
  }
}

async function isOwnDirectory(path: string): Promise<boolean> {
  // Its run may remove it at this very moment.
  const facts = await lstat(path).catch(() => null);
  return facts?.isDirectory() === true && facts.uid === process.geteuid?.();
}
