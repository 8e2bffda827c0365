import type { BundleProblem } from "../../bundle/verify/problems.ts";
import { exitCodes } from "../../errors/exit-codes.ts";
import type { JsonObject } from "../../support/json.ts";
import type { EvaluatorOptions } from "../node-engine.ts";

export interface VerifyOptions extends EvaluatorOptions {
  /** The digest that the bundle should have, `sha256:<hex>` or the hex alone: as `assay run` printed it last. */
  readonly digest?: string;
  /** File with the public Ed25519 key in PEM of who should have signed it. No key of a bundle is ever used. */
  readonly keyFile?: string;
}

/**
 * What was proved of a bundle. `consistent`: all its digests agree, and so do its records; whoever forges a bundle can
 * make them all anew. `digest`: it is the bundle that has the digest given. `signature`: the owner of the key given
 * signed it.
 */
export type ProofLevel = "consistent" | "digest" | "signature";

export interface RowCounts {
  readonly tasks: number;
  readonly trials: number;
  readonly scores: number;
  readonly attempts: number;
  readonly evidence: number;
}

export interface BundleVerification {
  /** Where it was looked for, absolute. */
  readonly dir: string;
  /** `unverified`: no problem was found in what could be looked at, and nothing could be proved. */
  readonly verdict: "verified" | "unverified" | "damaged";
  /** Empty unless the verdict is `verified`. */
  readonly proved: readonly ProofLevel[];
  readonly unverifiedBecause: string | null;
  /** What is wrong, by file; the first of many. */
  readonly problems: readonly BundleProblem[];
  readonly problemCount: number;
  /** What is right and worth knowing, a sentence each. */
  readonly notes: readonly string[];
  readonly runId: string | null;
  readonly status: string | null;
  /** `sha256:<hex>` of provenance.json; null where there is none that can be read. */
  readonly bundleDigest: string | null;
  /** Ids of the keys that the envelope claims to be signed by; a claim is no proof. */
  readonly claimedKeyIds: readonly string[];
  /** Rows that were read; null where they were not. */
  readonly counts: RowCounts | null;
  /** As `assay verify` exits: 0 verified, 4 unverified, 5 damaged. */
  readonly exitCode: number;
  /** The same as one document, with the names of the wire. */
  toJSON(): JsonObject;
}

export type Findings = Omit<BundleVerification, "verdict" | "exitCode" | "toJSON">;

/** One problem is enough. */
export function verdictOf(findings: Findings): BundleVerification {
  if (findings.problemCount > 0) return ended({ ...findings, proved: [] }, "damaged");
  return findings.unverifiedBecause === null
    ? ended(findings, "verified")
    : ended({ ...findings, proved: [] }, "unverified");
}

const exitCodeOf = {
  verified: exitCodes.done,
  unverified: exitCodes.incomplete,
  damaged: exitCodes.damaged,
} as const;

function ended(findings: Findings, verdict: BundleVerification["verdict"]): BundleVerification {
  const exitCode = exitCodeOf[verdict];
  return { ...findings, verdict, exitCode, toJSON: () => documentOf(findings, verdict, exitCode) };
}

function documentOf(
  { counts, ...findings }: Findings,
  verdict: BundleVerification["verdict"],
  exitCode: number,
): JsonObject {
  return {
    dir: findings.dir,
    verdict,
    proved: findings.proved,
    unverified_because: findings.unverifiedBecause,
    problem_count: findings.problemCount,
    problems: findings.problems.map(({ path, kind, message }) => ({ path, kind, message })),
    notes: findings.notes,
    run_id: findings.runId,
    status: findings.status,
    bundle_digest: findings.bundleDigest,
    claimed_key_ids: findings.claimedKeyIds,
    counts: counts === null ? null : { ...counts },
    exit_code: exitCode,
  };
}
