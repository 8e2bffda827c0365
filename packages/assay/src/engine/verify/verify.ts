import path from "node:path";

import { bytesOf } from "../../bundle/decode-files.ts";
import type { FileDamage } from "../../bundle/integrity/file-damage.ts";
import { damagesOfLeftStatement, whyNotRunning } from "../../bundle/integrity/left-statement.ts";
import { readSeal } from "../../bundle/integrity/seal.ts";
import { SubjectChecks } from "../../bundle/integrity/subject-checks.ts";
import { bundleFiles } from "../../bundle/layout.ts";
import { BundleReader } from "../../bundle/read-bundle.ts";
import { checkDirectory } from "../../bundle/verify/directory-checks.ts";
import { type FoundProblems, Problems } from "../../bundle/verify/problems.ts";
import { evidencePathProblem, leadsOut } from "../../bundle/verify/stored-paths.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import type { VerifyingKey } from "../../provenance/signing/keys.ts";
import { sha256Hex } from "../../support/digest.ts";
import { readVerifyingKey } from "../keys.ts";
import type { Platform } from "../platform.ts";
import { stateOfUnfinished } from "../results/unfinished.ts";
import { type CheckedRecords, checkRecords } from "./records-check.ts";
import { checkSignature } from "./signature-check.ts";
import { checkUnended } from "./unended-check.ts";
import {
  type BundleVerification,
  type Findings,
  type ProofLevel,
  type RowCounts,
  type VerifyOptions,
  verdictOf,
} from "./verification.ts";

type VerifyPlatform = Pick<Platform, "files" | "cwd" | "identities">;

/** Does what `verifyBundle` promises. */
export async function verify(
  given: string,
  { digest, keyFile }: Pick<VerifyOptions, "digest" | "keyFile">,
  platform: VerifyPlatform,
): Promise<BundleVerification> {
  const wanted = digest === undefined ? null : parseBundleDigest(digest);
  const key = keyFile === undefined ? null : await readVerifyingKey(keyFile, platform);
  const dir = path.resolve(platform.cwd, given);
  return verdictOf(await new Verification(dir, { wanted, key }, platform).run());
}

/** Throws `ASSAY_CONFIG_INVALID` for what is no digest. */
export function parseBundleDigest(text: string): string {
  const hex = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(text.trim())?.[1];
  if (hex !== undefined) return `sha256:${hex.toLowerCase()}`;
  throw new AssayError("ASSAY_CONFIG_INVALID", `${JSON.stringify(text)} is no digest of a bundle`, {
    remedy: "Give it as `assay run` printed it last: sha256: and 64 hexadecimal digits.",
  });
}

interface Wanted {
  readonly wanted: string | null;
  readonly key: VerifyingKey | null;
}

class Verification {
  readonly #dir: string;
  readonly #wanted: Wanted;
  readonly #files: VerifyPlatform["files"];
  readonly #identities: VerifyPlatform["identities"];
  readonly #problems = new Problems();
  readonly #notes: string[] = [];
  #counts: RowCounts | null = null;
  #claimedKeyIds: readonly string[] = [];

  constructor(dir: string, wanted: Wanted, { files, identities }: VerifyPlatform) {
    this.#dir = dir;
    this.#wanted = wanted;
    this.#files = files;
    this.#identities = identities;
  }

  async run(): Promise<Findings> {
    const reader = await this.#open();
    if (reader === null) return await this.#withoutManifest();
    if (reader.unsealedBecause !== null) return await this.#unsealed(reader);
    const statement = await this.#statement();
    const isSealed = await this.#hasSeal(reader);
    const digest = statement === null ? null : `sha256:${sha256Hex(statement)}`;
    if (isSealed) await this.#checkAll(reader);
    else await this.#compareAlone(statement, reader.manifest.provenanceSha256 ?? null);
    await this.#checkRest(reader, statement, digest);
    return this.#findings({ reader, digest, unverifiedBecause: null });
  }

  /** Null when run.json is damaged, which is told. */
  async #open(): Promise<BundleReader | null> {
    try {
      return await BundleReader.open(this.#dir, this.#files);
    } catch (thrown) {
      this.#addDamage(thrown, bundleFiles.manifest);
      return null;
    }
  }

  /** What differs from the digests of provenance.json can be named all the same. */
  async #withoutManifest(): Promise<Findings> {
    const statement = await this.#statement();
    if (statement !== null) await this.#compareAlone(statement, null);
    const digest = statement === null ? null : `sha256:${sha256Hex(statement)}`;
    return this.#findings({ reader: null, digest, unverifiedBecause: null });
  }

  async #unsealed(reader: BundleReader): Promise<Findings> {
    const { unsealedBecause, manifest } = reader;
    if (manifest.status === "running") await this.#checkRunning(reader);
    else {
      if ((await this.#stat(bundleFiles.provenance)) !== null)
        this.#problems.add(
          bundleFiles.manifest,
          "disagrees",
          `it names no ${bundleFiles.provenance}, and there is one`,
        );
      await this.#checkRecords(reader);
    }
    if (this.#wanted.wanted !== null)
      this.#problems.add(".", "unproved", `it has no digest: ${unsealedBecause}`);
    if (this.#wanted.key !== null)
      this.#problems.add(".", "unproved", `it is not signed: ${unsealedBecause}`);
    return this.#findings({ reader, digest: null, unverifiedBecause: unsealedBecause });
  }

  /** A run that was killed may be left with a statement, and with nothing that contradicts it. */
  async #checkRunning(reader: BundleReader): Promise<void> {
    const platform = { files: this.#files, identities: this.#identities };
    const { lastWrite, state } = await stateOfUnfinished(reader, platform);
    this.#notes.push(`last write at ${lastWrite}; ${state}`);
    const why = whyNotRunning(reader.manifest);
    if (why !== null) this.#problems.add(bundleFiles.manifest, "disagrees", why);
    try {
      this.#addDamages(await damagesOfLeftStatement(this.#dir, this.#files));
    } catch (thrown) {
      this.#addDamage(thrown, bundleFiles.provenance);
    }
    const found = { disagreeing: this.#problems, malformed: this.#problems };
    this.#keep(await checkUnended({ reader, files: this.#files, found }));
  }

  async #hasSeal(reader: BundleReader): Promise<boolean> {
    try {
      await reader.digest();
      return true;
    } catch (thrown) {
      this.#addDamage(thrown, bundleFiles.provenance);
      return false;
    }
  }

  /** Compares the data files with a statement that other files do not vouch for, when it can be read. */
  async #compareAlone(statement: Uint8Array | null, sha256: string | null): Promise<void> {
    const isAsNamed = statement !== null && (sha256 === null || sha256Hex(statement) === sha256);
    try {
      if (!isAsNamed) throw new AssayError("ASSAY_BUNDLE_DAMAGED", "it has other digests");
      const checks = new SubjectChecks(this.#dir, readSeal(this.#dir, statement), this.#files);
      this.#addDamages(await checks.damages());
    } catch (thrown) {
      if (!AssayError.isInstance(thrown)) throw thrown;
      this.#notes.push(
        `the data files were not compared: ${bundleFiles.provenance}, which has their digests, is not as it was`,
      );
    }
  }

  async #checkAll(reader: BundleReader): Promise<void> {
    const disagreeing = new Problems();
    const malformed = new Problems();
    await this.#checkRecords(reader, { disagreeing, malformed });
    await this.#checkDamages(reader);
    const altered = new Set(this.#problems.list.map(({ path: name }) => name));
    if (altered.size === 0) this.#problems.addAll(malformed);
    for (const { path: name, kind, message } of altered.size === 0 ? [] : malformed.list)
      if (!altered.has(name)) this.#problems.add(name, kind, message);
    // What was altered agrees with nothing any more: that would be told twice.
    if (this.#problems.count === 0) this.#problems.addAll(disagreeing);
  }

  async #checkDamages(reader: BundleReader): Promise<void> {
    try {
      this.#addDamages(await reader.damages({ withEvidence: true }));
    } catch (thrown) {
      // The list of evidence cannot be read, which is told already.
      if (!AssayError.isInstance(thrown)) throw thrown;
      this.#addDamages(await reader.damages());
    }
  }

  async #checkRecords(
    reader: BundleReader,
    found: FoundProblems = { disagreeing: this.#problems, malformed: this.#problems },
  ): Promise<void> {
    this.#keep(await checkRecords({ reader, files: this.#files, found }));
  }

  #keep({ counts, notes }: CheckedRecords): void {
    this.#counts = counts;
    this.#notes.push(...notes);
  }

  /** What is there besides the data files. */
  async #checkRest(
    { manifest }: BundleReader,
    statement: Uint8Array | null,
    digest: string | null,
  ): Promise<void> {
    const [dir, files, problems] = [this.#dir, this.#files, this.#problems];
    const { key, wanted } = this.#wanted;
    const real = await files.realPath(dir);
    await checkDirectory({ dir: real, files, problems }, digest ?? "");
    const request = { dir, files, manifest, statement, key, problems };
    this.#claimedKeyIds = await checkSignature(request);
    if (wanted !== null && wanted !== digest)
      problems.add(".", "unproved", `its digest is not the one given, which is ${wanted}`);
  }

  async #statement(): Promise<Uint8Array | null> {
    try {
      return await bytesOf(path.join(this.#dir, bundleFiles.provenance), this.#files);
    } catch (thrown) {
      if (!AssayError.isInstance(thrown)) throw thrown;
      return null;
    }
  }

  async #stat(name: string) {
    return await this.#files.stat(path.join(this.#dir, name));
  }

  #addDamage(thrown: unknown, name: string): void {
    if (!AssayError.isInstance(thrown) || thrown.code !== "ASSAY_BUNDLE_DAMAGED") throw thrown;
    const damages = thrown.data["files"];
    if (Array.isArray(damages)) this.#addDamages(damages as readonly FileDamage[]);
    else this.#problems.addMalformed(name, messageOf(thrown));
  }

  #addDamages(damages: readonly FileDamage[]): void {
    for (const { path: name, expected, found } of damages) {
      // A row that names what is elsewhere is told as such: nobody looked whether it is there.
      if (found === null && evidencePathProblem(name) === leadsOut) continue;
      if (expected === null)
        this.#problems.add(name, "added", `no record names it; it is ${found ?? "there"}`);
      else if (found === null) this.#problems.add(name, "missing", `expected ${expected}`);
      else this.#problems.add(name, "altered", `expected ${expected}, found ${found}`);
    }
  }

  #findings({
    reader,
    digest,
    unverifiedBecause,
  }: {
    readonly reader: BundleReader | null;
    readonly digest: string | null;
    readonly unverifiedBecause: string | null;
  }): Findings {
    const { wanted, key } = this.#wanted;
    const proved: ProofLevel[] = ["consistent"];
    if (wanted !== null) proved.push("digest");
    if (key !== null) proved.push("signature");
    return {
      dir: this.#dir,
      proved,
      unverifiedBecause,
      problems: this.#problems.list,
      problemCount: this.#problems.count,
      notes: this.#notes,
      runId: reader?.manifest.runId ?? null,
      status: reader?.manifest.status ?? null,
      bundleDigest: digest,
      claimedKeyIds: this.#claimedKeyIds,
      counts: this.#counts,
    };
  }
}
