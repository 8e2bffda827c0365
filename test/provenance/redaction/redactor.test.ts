import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createRedactor } from "../../../packages/assay/src/provenance/redaction/redactor.ts";
import type { JsonObject, JsonValue } from "../../../packages/assay/src/support/json.ts";
import { base64Cores, encoders } from "./encodings.ts";

const alphabet = [..."abcdefghijABCDEFGHIJ0123456789-_"];
const harsh = [..."ab01-_/+=\"\\%& <>'~!*()\t\n", "é", "漢", "🔑"];
const secretValue = fc.oneof(
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: 8, maxLength: 40 }),
  fc
    .string({ unit: fc.constantFrom(...harsh), minLength: 12, maxLength: 30 })
    .filter((text) => text.trim().length >= 8),
);
const secretValues = fc.uniqueArray(secretValue, { minLength: 1, maxLength: 3 });
const encoder = fc.constantFrom(...Object.values(encoders));
const filler = fc.string({ unit: fc.constantFrom(..."{}[]:,. xyzXYZ"), maxLength: 12 });

/** Texts with some of the secrets in them, in some form. */
const leaking = (secrets: readonly string[]) =>
  fc
    .array(fc.tuple(filler, fc.constantFrom(...secrets), encoder), { maxLength: 4 })
    .map(
      (parts) => `${parts.map(([before, secret, encode]) => before + encode(secret)).join("")}.`,
    );

const redactorOf = (...values: readonly string[]) =>
  createRedactor({ secrets: values.map((value, index) => ({ name: `SECRET_${index}`, value })) });

const redactBytes = (values: readonly string[], chunks: readonly Uint8Array[]): Buffer => {
  const stream = redactorOf(...values).stream();
  return Buffer.concat([...chunks.map((chunk) => stream.push(chunk)), stream.end()]);
};

const cut = (bytes: Buffer, sizes: readonly number[]): Buffer[] => {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let index = 0; at < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
};

const example = 'p4ss"word/é+~!\\k e&y';

describe("a redactor of exact values", () => {
  it.each(Object.entries(encoders))("removes a secret written as: %s", (_name, encode) => {
    const text = `before ${encode(example)} after`;

    expect(redactorOf(example).text(text)).toBe("before <redacted> after");
    expect(redactBytes([example], [Buffer.from(text)]).toString()).toBe("before <redacted> after");
  });

  it.each([0, 1, 2])("removes a secret from base64 that starts %i bytes into a group", (before) => {
    const plain = `${"u".repeat(before)}${example}@host`;

    for (const encoding of ["base64", "base64url"] as const) {
      const clean = redactorOf(example).text(`Basic ${Buffer.from(plain).toString(encoding)}`);

      expect(clean).toContain("<redacted>");
      for (const core of base64Cores(example)) expect(clean).not.toContain(core);
    }
  });

  it("leaves the secret in no form in any text", () => {
    const property = fc.property(
      secretValues.chain((secrets) => fc.tuple(fc.constant(secrets), leaking(secrets))),
      ([secrets, text]) => {
        const clean = redactorOf(...secrets).text(text);

        for (const secret of secrets.map((value) => value.trim())) {
          for (const encode of Object.values(encoders)) expect(clean).not.toContain(encode(secret));
          for (const core of base64Cores(secret)) expect(clean).not.toContain(core);
        }
      },
    );
    fc.assert(property, { numRuns: 60 });
  });

  it("gives the same when it is done twice", () => {
    const property = fc.property(
      secretValues.chain((secrets) => fc.tuple(fc.constant(secrets), leaking(secrets))),
      ([secrets, text]) => {
        const once = redactorOf(...secrets).text(text);

        expect(redactorOf(...secrets).text(once)).toBe(once);
      },
    );
    fc.assert(property, { numRuns: 60 });
  });

  it("leaves text without a secret as it is", () => {
    const property = fc.property(
      secretValue,
      fc.string({ unit: "binary", maxLength: 200 }),
      (secret, text) => {
        fc.pre(!text.includes(secret.trim()));

        expect(redactorOf(secret).text(text)).toBe(text);
      },
    );
    fc.assert(property);
  });

  it("removes the longer of two secrets that start alike", () => {
    const redactor = redactorOf("secret-abcdef", "secret-abcdefghi");

    expect(redactor.text("x secret-abcdefghi y secret-abcdef z")).toBe(
      "x <redacted> y <redacted> z",
    );
  });

  it("removes two secrets that overlap as one piece", () => {
    expect(redactorOf("abcdefgh", "efghijkl").text("<abcdefghijkl>")).toBe("<<redacted>>");
  });

  it("knows a value without the blank space around it", () => {
    expect(redactorOf("  padded-secret\n").text("padded-secret")).toBe("<redacted>");
  });

  it("knows the long lines of a value of several lines", () => {
    const key =
      "-----BEGIN KEY-----\nMIIBVgIBADANBgkqhkiG9w0B\nAQEFAASCAUAwggE8AgEAAkEA\n-----END KEY-----\n";
    const redactor = redactorOf(key);

    expect(redactor.text(`a ${key} b`)).not.toContain("MIIB");
    expect(redactor.text("> AQEFAASCAUAwggE8AgEAAkEA")).toBe("> <redacted>");
    expect(redactor.text("-----BEGIN KEY-----")).toBe("-----BEGIN KEY-----");
  });

  it.each(["", "   ", "redacted", "<redacted>"])(
    "refuses the value %j, which cannot be removed",
    (value) => {
      expect(() => redactorOf(value)).toThrow(
        expect.objectContaining({ code: "ASSAY_SECRET_TOO_SHORT" }),
      );
    },
  );

  it("removes short values where they were allowed", () => {
    expect(redactorOf("ab", "xyz12").text("cab xyz1 xyz12")).toBe("c<redacted> xyz1 <redacted>");
  });

  it("works without any secret", () => {
    const redactor = redactorOf();

    expect(redactor.text("x")).toBe("x");
    expect(redactor.mayContain("x")).toBe(false);
    expect(redactBytes([], [Buffer.from("ab"), Buffer.from("c")]).toString()).toBe("abc");
  });
});

describe("a redactor of JSON data", () => {
  const dataWith = (secrets: readonly string[]) =>
    fc.letrec<{ value: JsonValue; object: JsonValue }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        leaking(secrets),
        fc.integer({ min: -1000, max: 1000 }),
        fc.constantFrom(true, false, null),
        fc.array(tie("value"), { maxLength: 3 }),
        tie("object"),
      ),
      object: fc.dictionary(fc.oneof(leaking(secrets), fc.constant("__proto__")), tie("value"), {
        maxKeys: 3,
      }),
    })).object;

  it("leaves valid JSON with the secret in no form, the same when done twice", () => {
    const property = fc.property(
      secretValues.chain((secrets) => fc.tuple(fc.constant(secrets), dataWith(secrets))),
      ([secrets, data]) => {
        const clean = redactorOf(...secrets).json(data);

        const text = JSON.stringify(clean);
        expect(JSON.parse(text)).toEqual(clean);
        expect(redactorOf(...secrets).json(clean)).toBe(clean);
        for (const secret of secrets.map((value) => value.trim())) {
          for (const encode of Object.values(encoders)) expect(text).not.toContain(encode(secret));
        }
      },
    );
    fc.assert(property, { numRuns: 40 });
  });

  it("says of every serialised value that changes that it may contain a secret", () => {
    const property = fc.property(
      secretValues.chain((secrets) => fc.tuple(fc.constant(secrets), dataWith(secrets))),
      ([secrets, data]) => {
        const redactor = redactorOf(...secrets);

        if (redactor.json(data) !== data)
          expect(redactor.mayContain(JSON.stringify(data))).toBe(true);
      },
    );
    fc.assert(property, { numRuns: 40 });
  });

  it.each(Object.entries(encoders))(
    "says so of a serialised value that holds one written as: %s",
    (_name, encode) => {
      expect(redactorOf(example).mayContain(JSON.stringify({ text: encode(example) }))).toBe(true);
    },
  );

  it("gives the same object when there was nothing to remove", () => {
    const data = { a: [1, { b: "text", n: Number.NaN }], c: null };

    expect(redactorOf("a-long-secret").json(data)).toBe(data);
  });

  it("removes a secret from keys, and keeps both values of keys that become alike", () => {
    const redactor = redactorOf("first-secret", "second-secret");

    const clean = redactor.json({
      "first-secret": 1,
      "second-secret": 2,
      "<redacted>": 3,
      keep: 4,
    });

    expect(clean).toEqual({ "<redacted>": 3, "<redacted>-2": 1, "<redacted>-3": 2, keep: 4 });
  });

  it("keeps a key called __proto__ an ordinary key", () => {
    const data = JSON.parse('{"__proto__": {"x": "first-secret"}}') as JsonObject;

    const clean = redactorOf("first-secret").json(data);

    expect(JSON.stringify(clean)).toBe('{"__proto__":{"x":"<redacted>"}}');
  });

  it.each([
    [12345678, "<redacted>"],
    [-12345678, "<redacted>"],
    [912345678, 912345678],
    [1234567, 1234567],
  ])("makes of the number %d, where the secret is 12345678, %j", (number, expected) => {
    expect(redactorOf("12345678").json({ number })).toEqual({ number: expected });
  });
});

describe("a redactor of a stream", () => {
  it("gives the same bytes however they are cut", () => {
    const property = fc.property(
      secretValues.chain((secrets) => fc.tuple(fc.constant(secrets), leaking(secrets))),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
      ([secrets, text], sizes) => {
        const bytes = Buffer.from(text);

        const whole = redactBytes(secrets, [bytes]).toString("latin1");
        const pieces = redactBytes(secrets, cut(bytes, sizes)).toString("latin1");

        expect(pieces).toBe(whole);
        expect(redactBytes(secrets, [Buffer.from(whole, "latin1")]).toString("latin1")).toBe(whole);
      },
    );
    fc.assert(property, { numRuns: 60 });
  });

  it.each(Object.entries(encoders))(
    "finds one in two chunks, cut anywhere: %s",
    (_name, encode) => {
      const form = encode("cut-secret");
      const bytes = Buffer.from(`<${form}>`);

      for (let at = 0; at <= bytes.length; at += 1) {
        const chunks = [bytes.subarray(0, at), bytes.subarray(at)];
        expect(redactBytes(["cut-secret"], chunks).toString()).toBe("<<redacted>>");
      }
    },
  );

  it("holds back what the longest form may still complete", () => {
    const escaped = JSON.stringify(JSON.stringify("\\u0061".repeat(8)).slice(1, -1)).slice(1, -1);
    const stream = redactorOf("aaaaaaaa").stream();

    const bytes = Buffer.concat([
      stream.push(Buffer.from(escaped.slice(0, -1))),
      stream.push(Buffer.from("1")),
      stream.end(),
    ]);

    expect(bytes.toString()).toBe("<redacted>");
  });

  it("removes two secrets that overlap as one piece", () => {
    const bytes = Buffer.from("<abcdefghijkl>");

    for (let at = 0; at <= bytes.length; at += 1) {
      const chunks = [bytes.subarray(0, at), bytes.subarray(at)];
      expect(redactBytes(["abcdefgh", "efghijkl"], chunks).toString()).toBe("<<redacted>>");
    }
  });

  it("agrees with the redaction of text", () => {
    const property = fc.property(
      secretValues.chain((secrets) => fc.tuple(fc.constant(secrets), leaking(secrets))),
      ([secrets, text]) => {
        expect(redactBytes(secrets, [Buffer.from(text)]).toString()).toBe(
          redactorOf(...secrets).text(text),
        );
      },
    );
    fc.assert(property, { numRuns: 40 });
  });

  it("lets binary data through unchanged, and finds a secret in it", () => {
    const noise = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256));
    const secret = Buffer.from("binary-sécret");

    expect(redactBytes(["binary-sécret"], cut(noise, [100, 7])).equals(noise)).toBe(true);
    expect(
      redactBytes(["binary-sécret"], cut(Buffer.concat([noise, secret, noise]), [100, 7])).equals(
        Buffer.concat([noise, Buffer.from("<redacted>"), noise]),
      ),
    ).toBe(true);
  });

  it("does not keep hold of the caller's buffer", () => {
    const stream = redactorOf("a-long-secret").stream();
    const chunk = Buffer.from("tail a-lo");

    const first = Buffer.from(stream.push(chunk));
    chunk.fill("#");

    expect(
      Buffer.concat([first, stream.push(Buffer.from("se end")), stream.end()]).toString(),
    ).toBe("tail a-lose end");
  });

  it("counts what it removed, by stream and in all", () => {
    const redactor = redactorOf("a-long-secret");
    const stream = redactor.stream();
    stream.push(Buffer.from("a-long-secret a-long-secret"));
    stream.end();
    redactor.text("a-long-secret");

    expect(stream.count).toBe(2);
    expect(redactor.counts()).toEqual({ "exact-value": 3 });
  });
});
