import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign as signWith,
  verify as verifyWith,
} from "node:crypto";

import { AssayError } from "../../errors/assay-error.ts";
import { sha256Hex } from "../../support/digest.ts";
import type { KnownSecret } from "../redaction/secret.ts";

/** An Ed25519 key that checks what the other half signed. */
export interface VerifyingKey {
  /** `sha256:` and the digest of the public key. */
  readonly keyId: string;
  verify(data: Uint8Array, signature: Uint8Array): boolean;
}

/** One that signs; it knows its own signatures. */
export interface SigningKey extends VerifyingKey {
  sign(data: Uint8Array): Uint8Array;
  /** The private key in each form that it may be written in: nothing that is stored or shown holds one. */
  readonly secrets: readonly KnownSecret[];
}

/** A larger file is no key. */
export const maxKeyBytes = 64 * 1024;

const algorithm = "ed25519";
const privateLabel = /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/;
const publicLabel = /-----BEGIN PUBLIC KEY-----/;
const anyBegin = /-----BEGIN [A-Z0-9 ]+-----/g;
const makeKeys = "`openssl genpkey -algorithm ed25519 -out key.pem`";
const takePublicHalf = "`openssl pkey -in key.pem -pubout -out key.pub.pem`";

/** Reads a private key in PEM (PKCS#8). Throws `ASSAY_KEY_INVALID`, which shows nothing of it; `file` names it. */
export function signingKeyOf(pem: string, file: string): SigningKey {
  const invalid = (problem: string) =>
    keyError("sign with", file, problem, `Make one: ${makeKeys}.`);
  if (!privateLabel.test(pem))
    throw invalid(publicLabel.test(pem) ? "it is a public key" : "it is no private key in PEM");
  if (countOf(pem) > 1) throw invalid(severalKeys);
  if (pem.includes("ENCRYPTED")) throw invalid("it is encrypted, and no passphrase is asked for");
  const key = keyOf(() => createPrivateKey(pem));
  if (key === null) throw invalid("it cannot be read as a private key in PEM (PKCS#8)");
  if (key.asymmetricKeyType !== algorithm) throw invalid(typeProblem(key));
  const publicKey = createPublicKey(key);
  return {
    keyId: keyIdOf(publicKey),
    verify: (data, signature) => verifyWith(null, data, publicKey, signature),
    sign: (data) => signWith(null, data, key),
    secrets: formsOf(pem, key).map((value) => ({ name: "signing key", value })),
  };
}

/** Reads a public key in PEM (SPKI). Throws `ASSAY_KEY_INVALID`; a private key is refused, for no verifier needs it. */
export function verifyingKeyOf(pem: string, file: string): VerifyingKey {
  const remedy = `Give the public half of the key: ${takePublicHalf}.`;
  const invalid = (problem: string) => keyError("verify with", file, problem, remedy);
  if (privateLabel.test(pem))
    throw invalid("it is a private key, which belongs to nobody but the signer");
  if (countOf(pem) > 1) throw invalid(severalKeys);
  const key = publicLabel.test(pem) ? keyOf(() => createPublicKey(pem)) : null;
  if (key === null) throw invalid("it is no public key in PEM");
  if (key.asymmetricKeyType !== algorithm) throw invalid(typeProblem(key));
  return {
    keyId: keyIdOf(key),
    verify: (data, signature) => verifyWith(null, data, key, signature),
  };
}

/** Which of two keys somebody means, nobody can say. */
const severalKeys = "it holds more than one key or certificate";

function countOf(pem: string): number {
  return pem.match(anyBegin)?.length ?? 0;
}

function keyOf(read: () => KeyObject): KeyObject | null {
  try {
    return read();
  } catch {
    // What OpenSSL says of it helps nobody.
    return null;
  }
}

function keyIdOf(key: KeyObject): string {
  return `sha256:${sha256Hex(key.export({ type: "spki", format: "der" }))}`;
}

function typeProblem({ asymmetricKeyType }: KeyObject): string {
  return `it is a key of type ${asymmetricKeyType ?? "unknown"}, not Ed25519`;
}

/** As it stands in the file, as one line, and the 32 bytes that matter as JWK and OpenSSL write them. */
function formsOf(pem: string, key: KeyObject): string[] {
  const der = key.export({ type: "pkcs8", format: "der" });
  const seed = Buffer.from(key.export({ format: "jwk" }).d ?? "", "base64url");
  const blocks = pem.match(/-----BEGIN [A-Z ]+-----[^-]+-----END [A-Z ]+-----/g) ?? [pem];
  return [
    ...blocks,
    der.toString("base64"),
    der.toString("hex"),
    seed.toString("base64"),
    seed.toString("base64url"),
    seed.toString("hex"),
  ];
}

function keyError(use: string, file: string, problem: string, remedy: string): AssayError {
  const message = `cannot ${use} the key "${file}": ${problem}`;
  return new AssayError("ASSAY_KEY_INVALID", message, { data: { path: file }, remedy });
}
