import { toWire } from "../../schema/codec.ts";
import { type Envelope, envelopeSchema, statementMediaType } from "../../schema/envelope.ts";
import type { JsonObject } from "../../support/json.ts";
import type { SigningKey, VerifyingKey } from "./keys.ts";

/**
 * The bytes that are signed, by the DSSE protocol, version 1: `"DSSEv1" SP LEN(type) SP type SP LEN(body) SP body`, each
 * length in bytes and in ASCII decimals.
 */
export function preAuthenticationEncoding(payloadType: string, payload: Uint8Array): Uint8Array {
  const type = Buffer.from(payloadType, "utf8");
  const head = Buffer.from(`DSSEv1 ${type.length} `);
  return Buffer.concat([head, type, Buffer.from(` ${payload.length} `), payload]);
}

/** The content of provenance.dsse.json for the bytes of provenance.json. */
export function signedEnvelope(statement: Uint8Array, key: SigningKey): JsonObject {
  const signature = key.sign(preAuthenticationEncoding(statementMediaType, statement));
  const envelope: Envelope = {
    payload: Buffer.from(statement).toString("base64"),
    payloadType: statementMediaType,
    signatures: [{ keyid: key.keyId, sig: Buffer.from(signature).toString("base64") }],
  };
  return toWire(envelopeSchema, envelope) as JsonObject;
}

/** Why an envelope is none of a statement, or null when it is. Says nothing of who signed it. */
export function whyNotOf(
  { payload, payloadType, signatures }: Envelope,
  statement: Uint8Array,
): string | null {
  if (payloadType !== statementMediaType)
    return `it signs content of the type ${JSON.stringify(payloadType)}, not ${statementMediaType}`;
  if (bytesOf(payload)?.equals(statement) !== true)
    return "it signs another statement than provenance.json";
  if (signatures.some(({ sig }) => bytesOf(sig)?.length !== signatureBytes))
    return "it has a signature that is none of Ed25519 in base64";
  return null;
}

/** Whether one of its signatures is by this key. Which key a signature claims to be of proves nothing, so it is not asked. */
export function isSignedBy(
  { payload, payloadType, signatures }: Envelope,
  key: VerifyingKey,
): boolean {
  const body = bytesOf(payload);
  if (body === null) return false;
  const signed = preAuthenticationEncoding(payloadType, body);
  return signatures.some(({ sig }) => {
    const bytes = bytesOf(sig);
    return bytes !== null && key.verify(signed, bytes);
  });
}

const signatureBytes = 64;

/** Base64 or base64url, as the protocol allows; null for what is written in any other way. */
function bytesOf(text: string): Buffer | null {
  const bytes = Buffer.from(text, "base64");
  const given = text.replace(/=+$/, "");
  const isWhole = ["base64", "base64url"].some(
    (form) => bytes.toString(form as "base64").replace(/=+$/, "") === given,
  );
  return isWhole ? bytes : null;
}
