import { execFileSync } from "node:child_process";
import { generateKeyPairSync, sign as signWith } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";

import { createRedactor } from "../../../packages/assay/src/provenance/redaction/redactor.ts";
import {
  isSignedBy,
  preAuthenticationEncoding,
  signedEnvelope,
  whyNotOf,
} from "../../../packages/assay/src/provenance/signing/envelope.ts";
import {
  signingKeyOf,
  verifyingKeyOf,
} from "../../../packages/assay/src/provenance/signing/keys.ts";
import type { Envelope } from "../../../packages/assay/src/schema/envelope.ts";
import { onPath, requireTool } from "../../support/tools.ts";

function keyPair(type: "ed25519" | "x25519" | "rsa" = "ed25519") {
  const pair =
    type === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync(type as "ed25519");
  return {
    pair,
    privatePem: String(pair.privateKey.export({ type: "pkcs8", format: "pem" })),
    publicPem: String(pair.publicKey.export({ type: "spki", format: "pem" })),
  };
}

const statement = Buffer.from('{"_type":"https://in-toto.io/Statement/v1"}\n');

function signed() {
  const { privatePem, publicPem } = keyPair();
  const envelope = signedEnvelope(statement, signingKeyOf(privatePem, "k")) as unknown as Envelope;
  return { envelope, key: verifyingKeyOf(publicPem, "k.pub"), publicPem };
}

describe("the pre-authentication encoding", () => {
  it("is that of the protocol's own example", () => {
    const encoded = preAuthenticationEncoding(
      "http://example.com/HelloWorld",
      Buffer.from("hello world"),
    );

    expect(String(encoded)).toBe("DSSEv1 29 http://example.com/HelloWorld 11 hello world");
  });

  it("counts bytes, not characters", () => {
    expect(String(preAuthenticationEncoding("é", Buffer.from("€")))).toBe("DSSEv1 2 é 3 €");
  });

  it("is different for each type and body", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (a, b, c, d) => {
        const same = Buffer.from(preAuthenticationEncoding(a, Buffer.from(b))).equals(
          preAuthenticationEncoding(c, Buffer.from(d)),
        );
        const isOne =
          Buffer.from(a).equals(Buffer.from(c)) && Buffer.from(b).equals(Buffer.from(d));
        expect(same).toBe(isOne);
      }),
    );
  });
});

describe("an envelope", () => {
  it("holds the statement's own bytes, and is signed by the key and no other", () => {
    const { envelope, key } = signed();

    expect(Buffer.from(envelope.payload, "base64")).toEqual(statement);
    expect(whyNotOf(envelope, statement)).toBeNull();
    expect(isSignedBy(envelope, key)).toBe(true);
    expect(isSignedBy(envelope, signed().key)).toBe(false);
  });

  it("is accepted by openssl, which knows nothing of Assay", () => {
    requireTool("openssl", () => (onPath("openssl") === null ? "no openssl is on PATH" : null));
    const { envelope, publicPem } = signed();
    const dir = mkdtempSync(join(tmpdir(), "assay-dsse-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const body = Buffer.from(envelope.payload, "base64");
    const encoded = `DSSEv1 ${envelope.payloadType.length} ${envelope.payloadType} ${body.length} `;
    writeFileSync(join(dir, "signed"), Buffer.concat([Buffer.from(encoded), body]));
    writeFileSync(join(dir, "sig"), Buffer.from(envelope.signatures[0]?.sig ?? "", "base64"));
    writeFileSync(join(dir, "key"), publicPem);

    const args = ["pkeyutl", "-verify", "-pubin", "-inkey", "key", "-rawin", "-in", "signed"];
    const said = execFileSync("openssl", [...args, "-sigfile", "sig"], { cwd: dir });

    expect(String(said)).toContain("Verified Successfully");
  });

  it("is no proof whatever one bit of payload, type or signature is flipped", () => {
    const { envelope, key } = signed();
    const fields = ["payload", "payloadType", "sig"] as const;
    fc.assert(
      fc.property(fc.constantFrom(...fields), fc.nat(), fc.nat({ max: 7 }), (field, at, bit) => {
        const text = field === "sig" ? (envelope.signatures[0]?.sig ?? "") : envelope[field];
        const bytes = Buffer.from(text);
        const index = at % bytes.length;
        bytes[index] = (bytes[index] as number) ^ (1 << bit);
        const changed = bytes.toString("latin1");
        const forged: Envelope =
          field === "sig"
            ? { ...envelope, signatures: [{ keyid: key.keyId, sig: changed }] }
            : { ...envelope, [field]: changed };
        const holds = whyNotOf(forged, statement) === null && isSignedBy(forged, key);
        expect(holds).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("is not believed for the key id that it claims", () => {
    const { envelope } = signed();
    const other = signed();
    const claimed = envelope.signatures.map(({ sig }) => ({ sig, keyid: other.key.keyId }));

    expect(isSignedBy({ ...envelope, signatures: claimed }, other.key)).toBe(false);
  });

  it("is signed when one of several signatures is by the key, in base64url too", () => {
    const { envelope, key } = signed();
    const [own] = envelope.signatures;
    const sig = Buffer.from(own?.sig ?? "", "base64").toString("base64url");
    const signatures = [
      { keyid: "", sig: Buffer.alloc(64).toString("base64") },
      { keyid: "", sig },
    ];

    expect(isSignedBy({ ...envelope, signatures }, key)).toBe(true);
  });

  it("around another statement is none of this one, however well it is signed", () => {
    const { envelope } = signed();

    expect(whyNotOf(envelope, Buffer.from("{}"))).toContain("another statement");
  });

  it("of another type of content is none, though it was signed so", () => {
    const { pair } = keyPair();
    const sig = signWith(null, preAuthenticationEncoding("text/plain", statement), pair.privateKey);
    const forged: Envelope = {
      payload: statement.toString("base64"),
      payloadType: "text/plain",
      signatures: [{ keyid: "", sig: sig.toString("base64") }],
    };

    expect(whyNotOf(forged, statement)).toContain('"text/plain"');
  });
});

describe("a key", () => {
  it("has the digest of its public half for its id", () => {
    const { privatePem, publicPem } = keyPair();

    const { keyId } = signingKeyOf(privatePem, "k");

    expect(keyId).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(verifyingKeyOf(publicPem, "k.pub").keyId).toBe(keyId);
  });

  const encrypted = String(
    generateKeyPairSync("ed25519").privateKey.export({
      type: "pkcs8",
      format: "pem",
      cipher: "aes-256-cbc",
      passphrase: "word",
    }),
  );
  const torn = keyPair().privatePem.replace(/\n[^\n]{20}/, "\n");
  it.each([
    ["a public key", keyPair().publicPem, "it is a public key"],
    ["a key of another kind", keyPair("x25519").privatePem, "of type x25519, not Ed25519"],
    ["an RSA key", keyPair("rsa").privatePem, "of type rsa, not Ed25519"],
    ["an encrypted key", encrypted, "it is encrypted"],
    ["a torn key", torn, "cannot be read as a private key"],
    ["other text", "hello", "no private key in PEM"],
    ["nothing", "", "no private key in PEM"],
    ["one of two keys", keyPair().privatePem + keyPair().privatePem, "more than one key"],
  ])("%s cannot sign, and nothing of it is shown", (_what, pem, problem) => {
    const refused = thrownBy(() => signingKeyOf(pem, "keys/k.pem"));

    expect(refused).toMatchObject({ code: "ASSAY_KEY_INVALID", fault: "user" });
    expect(refused.message).toContain('"keys/k.pem"');
    expect(refused.message).toContain(problem);
    expect(refused.remedy).toContain("openssl genpkey -algorithm ed25519");
    const lines = pem.split("\n").filter((line) => line.length > 20 && !line.startsWith("---"));
    for (const line of lines)
      expect(JSON.stringify({ ...refused }) + refused.stack).not.toContain(line);
  });

  it.each([
    ["a private key", keyPair().privatePem, "it is a private key"],
    ["an encrypted private key", encrypted, "it is a private key"],
    ["a key of another kind", keyPair("x25519").publicPem, "of type x25519, not Ed25519"],
    ["other text", "hello", "no public key in PEM"],
    ["one of two keys", keyPair().publicPem + keyPair().publicPem, "more than one key"],
  ])("%s cannot verify", (_what, pem, problem) => {
    const refused = thrownBy(() => verifyingKeyOf(pem, "k"));

    expect(refused).toMatchObject({ code: "ASSAY_KEY_INVALID", fault: "user" });
    expect(refused.message).toContain(problem);
    expect(refused.remedy).toContain("-pubout");
  });

  it("is taken out of text in every form that it is written in", () => {
    const { pair, privatePem } = keyPair();
    const redactor = createRedactor({ secrets: signingKeyOf(privatePem, "k").secrets });
    const der = pair.privateKey.export({ type: "pkcs8", format: "der" });
    const seed = String(pair.privateKey.export({ format: "jwk" }).d);
    const raw = Buffer.from(seed, "base64url");

    const forms = [privatePem.trim(), der.toString("base64"), der.toString("hex"), seed];
    for (const form of [...forms, raw.toString("hex"), raw.toString("base64")])
      expect(redactor.text(`the key: ${form} it was`)).not.toContain(form);
  });
});

function thrownBy(work: () => unknown): { message: string; remedy: string; stack: string } {
  try {
    work();
  } catch (thrown) {
    return thrown as never;
  }
  throw new Error("nothing was thrown");
}
