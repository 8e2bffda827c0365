import { decodeRecord, documentOf, maxDocumentBytes } from "../../bundle/decode-files.ts";
import { envelopeFile } from "../../bundle/layout.ts";
import { bytesIfThere } from "../../bundle/verify/directory-checks.ts";
import type { Problems } from "../../bundle/verify/problems.ts";
import type { FileStore } from "../../contracts/files.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { isSignedBy, whyNotOf } from "../../provenance/signing/envelope.ts";
import type { VerifyingKey } from "../../provenance/signing/keys.ts";
import { type Envelope, envelopeSchema } from "../../schema/envelope.ts";
import type { Manifest } from "../../schema/manifest.ts";
import { sha256Hex } from "../../support/digest.ts";

export interface SignatureRequest {
  readonly dir: string;
  readonly files: FileStore;
  readonly manifest: Manifest | null;
  /** The bytes of provenance.json; null where they cannot be had. */
  readonly statement: Uint8Array | null;
  readonly key: VerifyingKey | null;
  readonly problems: Problems;
}

/** Checks the envelope, if there is one, and its signature, if a key is given; the key ids that it claims. */
export async function checkSignature(request: SignatureRequest): Promise<readonly string[]> {
  const { manifest, statement, key, problems } = request;
  const envelope = await readEnvelope(request);
  if (envelope === null) {
    if (typeof manifest?.signatureSha256 === "string")
      problems.add(envelopeFile, "missing", "run.json names it, and it is not there");
    if (key !== null) problems.add(envelopeFile, "unproved", "the bundle is not signed");
    return [];
  }
  if (envelope === "unreadable") {
    if (key !== null) problems.add(envelopeFile, "unproved", "the signature cannot be checked");
    return [];
  }
  const problem = statement === null ? null : whyNotOf(envelope, statement);
  if (problem !== null) problems.add(envelopeFile, "disagrees", problem);
  if (key !== null && !isSignedBy(envelope, key))
    problems.add(envelopeFile, "unproved", `it is not signed by the key given (${key.keyId})`);
  return envelope.signatures.map(({ keyid }) => keyid).filter((id) => id !== "");
}

async function readEnvelope({
  dir,
  files,
  manifest,
  problems,
}: SignatureRequest): Promise<Envelope | "unreadable" | null> {
  try {
    const bytes = await bytesIfThere(dir, envelopeFile, files, maxDocumentBytes);
    if (bytes === null) return null;
    const [expected, found] = [manifest?.signatureSha256, sha256Hex(bytes)];
    if (typeof expected !== "string" && manifest !== null)
      problems.add(envelopeFile, "disagrees", "run.json names no signature, and there is one");
    if (typeof expected === "string" && found !== expected) {
      const message = `expected sha256:${expected}, found sha256:${found}`;
      problems.add(envelopeFile, "altered", message);
    }
    return decodeRecord(envelopeSchema, documentOf(bytes, envelopeFile), envelopeFile);
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
    problems.addMalformed(envelopeFile, messageOf(thrown));
    return "unreadable";
  }
}
