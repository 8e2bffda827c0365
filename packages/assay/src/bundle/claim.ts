import path from "node:path";

import type { Clock } from "../contracts/clock.ts";
import type { FileStore } from "../contracts/files.ts";
import type { Liveness, ProcessIdentities } from "../contracts/owner.ts";
import { AssayError, messageOf } from "../errors/assay-error.ts";
import { type ClaimRecord, claimSchema } from "../schema/claim.ts";
import { fromWire, toWire } from "../schema/codec.ts";
import { formatDocument, parseJson } from "../support/json.ts";
import { formatInstant } from "../support/timestamps.ts";

export const claimFile = "claim.json";
const maxClaimBytes = 64 * 1024;

export interface ClaimTools {
  readonly files: FileStore;
  readonly clock: Clock;
  readonly identities: ProcessIdentities;
}

export interface ClaimRequest {
  readonly token: string;
  /** Takes over from a process on another host or container, of which it cannot be seen whether it lives. */
  readonly takesOver: boolean;
}

/** Tokens of claims that this process no longer makes, of which a file is left: the disk did not let it be removed. */
const abandoned = new Set<string>();

/** Who holds a run directory, and whether that process lives. */
export interface Holder {
  readonly record: ClaimRecord;
  readonly liveness: Liveness;
}

/**
 * Makes this process the one writer of a run directory. A claim of a dead process is replaced, and of those who want to
 * replace it one wins: whoever makes the file named after the dead claim. Who wins looks once more whether that claim
 * still stands, for an earlier winner takes that file away only after it put its own claim in place.
 */
export class Claim {
  readonly #file: string;
  readonly #token: string;
  readonly #files: FileStore;
  /** Whom it was taken over from. */
  readonly previous: ClaimRecord | null;

  private constructor(
    place: { readonly file: string; readonly token: string; readonly files: FileStore },
    previous: ClaimRecord | null,
  ) {
    this.#file = place.file;
    this.#token = place.token;
    this.#files = place.files;
    this.previous = previous;
  }

  /** Throws `ASSAY_RUN_CLAIMED` when another process lives that holds it, or may live. */
  static async take(dir: string, request: ClaimRequest, tools: ClaimTools): Promise<Claim> {
    try {
      return await Claim.#take(dir, request, tools);
    } catch (thrown) {
      if (!isRefusal(thrown)) abandoned.add(request.token);
      throw thrown;
    }
  }

  static async #take(dir: string, request: ClaimRequest, tools: ClaimTools): Promise<Claim> {
    const { files, clock, identities } = tools;
    const file = path.join(dir, claimFile);
    const own = {
      runToken: request.token,
      ...identities.own(),
      claimedAt: formatInstant(clock.now()),
    };
    const text = formatDocument(toWire(claimSchema, own));
    const place = { file, token: request.token, files };
    for (;;) {
      if (await files.createAtomic(file, text)) return new Claim(place, null);
      const holder = await readHolder(dir, tools);
      if (holder === null) continue;
      const last = await lastOfChain(dir, holder, tools);
      refuseLiving(last, request, dir);
      const right = rightFile(dir, last.record);
      if (!(await files.createAtomic(right, text))) continue;
      const now = await readHolder(dir, tools);
      if (now?.record.runToken !== holder.record.runToken) {
        await files.remove(right);
        continue;
      }
      await files.writeAtomic(file, text);
      await removeRights(dir, files);
      return new Claim(place, holder.record);
    }
  }

  /** Gives the directory back, unless it was taken over. */
  async release(): Promise<void> {
    abandoned.add(this.#token);
    const record = await readClaim(this.#file, this.#files).catch(() => null);
    if (record?.runToken !== this.#token) return;
    await this.#files.remove(this.#file);
    abandoned.delete(this.#token);
  }
}

/** Who holds the directory; null when nobody does. */
export async function readHolder(
  dir: string,
  { files, identities }: Pick<ClaimTools, "files" | "identities">,
): Promise<Holder | null> {
  const record = await readClaim(path.join(dir, claimFile), files);
  return record === null ? null : holderOf(record, identities);
}

function holderOf(record: ClaimRecord, identities: ProcessIdentities): Holder {
  const isAbandoned = abandoned.has(record.runToken);
  return { record, liveness: isAbandoned ? "dead" : identities.livenessOf(record) };
}

async function readClaim(file: string, files: FileStore): Promise<ClaimRecord | null> {
  if ((await files.stat(file)) === null) return null;
  try {
    const bytes = await files.readRegular(file, { maxBytes: maxClaimBytes });
    const wire = parseJson(Buffer.from(bytes).toString("utf8"), claimFile);
    return fromWire(claimSchema, wire, { source: claimFile, code: "ASSAY_BUNDLE_DAMAGED" });
  } catch (thrown) {
    // It was given back between the two looks.
    if ((await files.stat(file)) === null) return null;
    throw unreadable(file, messageOf(thrown));
  }
}

function unreadable(file: string, why: string): AssayError {
  return new AssayError("ASSAY_RUN_CLAIMED", `"${file}" is no claim that can be read: ${why}`, {
    data: { path: file },
    remedy: "When you know that no process writes this run, remove that file, then resume.",
  });
}

/** Names of files that give the right to replace the claim with that token. */
const rightPrefix = "claim-after-";

function rightFile(dir: string, { runToken }: ClaimRecord): string {
  return path.join(dir, `${rightPrefix}${runToken.replace(/[^0-9a-zA-Z]/g, "")}.json`);
}

/** Whoever died between winning the right and using it holds the directory. */
async function lastOfChain(dir: string, first: Holder, tools: ClaimTools): Promise<Holder> {
  const seen = new Set([first.record.runToken]);
  let last = first;
  for (;;) {
    const file = rightFile(dir, last.record);
    const next = await readClaim(file, tools.files);
    if (next === null) return last;
    if (seen.has(next.runToken)) throw unreadable(file, "it leads back to itself");
    seen.add(next.runToken);
    last = holderOf(next, tools.identities);
  }
}

async function removeRights(dir: string, files: FileStore): Promise<void> {
  const names = (await files.list(dir)).filter((name) => name.startsWith(rightPrefix));
  for (const name of names) await files.remove(path.join(dir, name));
}

function isRefusal(thrown: unknown): boolean {
  return AssayError.isInstance(thrown) && thrown.code === "ASSAY_RUN_CLAIMED";
}

function refuseLiving(
  { record, liveness }: Holder,
  { takesOver }: ClaimRequest,
  dir: string,
): void {
  if (liveness === "dead" || (liveness === "elsewhere" && takesOver)) return;
  const { pid, hostname, claimedAt } = record;
  const whether =
    liveness === "alive" ? "which runs" : "of which it cannot be seen from here whether it runs";
  throw new AssayError(
    "ASSAY_RUN_CLAIMED",
    `the run directory "${dir}" is written by process ${pid} on "${hostname}" since ${claimedAt}, ${whether}`,
    {
      data: { path: dir, pid, hostname, claimed_at: claimedAt },
      ...(liveness === "alive"
        ? { remedy: "Wait for its end, or end it; then resume the run." }
        : {}),
    },
  );
}
