import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createRedactor } from "../../../packages/assay/src/provenance/redaction/redactor.ts";
import { encoders } from "./encodings.ts";

const letters = [..."abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_"];
const secretValue = fc.string({
  unit: fc.constantFrom(...letters, "/", "+", "é"),
  minLength: 12,
  maxLength: 40,
});
const surrounding = fc.string({ unit: fc.constantFrom(..."{}[]:, \n"), maxLength: 60 });
const pieceLength = 8;

const redactorOf = (value: string) => createRedactor({ secrets: [{ name: "SECRET", value }] });
const redactStream = (value: string, bytes: Buffer): string => {
  const stream = redactorOf(value).stream();
  return Buffer.concat([stream.push(bytes), stream.end()]).toString("latin1");
};
const latin1 = (text: string) => Buffer.from(text).toString("latin1");

const torn = fc.tuple(secretValue, surrounding, fc.nat()).map(([secret, text, at]) => ({
  secret,
  text,
  at: pieceLength + (at % (secret.length - pieceLength)),
}));

/** What stands where a text was cut: before the cut, behind it. */
const ends = ["…", "… (99 characters)", '"... is not valid JSON', '\\"... is not valid JSON'];
const starts = ["…", "99 before …", `Unexpected token 'x', ..."`, `, ...\\"`];

describe("a secret torn by a cut", () => {
  it.each(ends)("leaves no eight characters of itself before %s", (end) => {
    const property = fc.property(torn, ({ secret, text, at }) => {
      const cut = `${text}${secret.slice(0, at)}${end}`;
      const adjacent = secret.slice(at - pieceLength, at);

      expect(redactorOf(secret).text(cut)).not.toContain(adjacent);
      expect(redactorOf(secret).json({ cut })["cut"]).not.toContain(adjacent);
      expect(redactStream(secret, Buffer.from(cut))).not.toContain(latin1(adjacent));
    });
    fc.assert(property, { numRuns: 50 });
  });

  it.each(starts)("leaves no eight characters of itself behind %s", (start) => {
    const property = fc.property(torn, ({ secret, text, at }) => {
      const cut = `${start}${secret.slice(-at)}${text}`;
      const adjacent = secret.slice(-at).slice(0, pieceLength);

      expect(redactorOf(secret).text(cut)).not.toContain(adjacent);
      expect(redactorOf(secret).json({ cut })["cut"]).not.toContain(adjacent);
      expect(redactStream(secret, Buffer.from(cut))).not.toContain(latin1(adjacent));
    });
    fc.assert(property, { numRuns: 50 });
  });

  it("is seen in a serialised value, and gives the same when it is done twice", () => {
    const cuts = fc.tuple(torn, fc.constantFrom(...ends), fc.constantFrom(...starts));
    const property = fc.property(cuts, ([{ secret, text, at }, end, start]) => {
      for (const cut of [`${text}${secret.slice(0, at)}${end}`, `${start}${secret.slice(-at)}`]) {
        const once = redactorOf(secret).text(cut);

        expect(redactorOf(secret).mayContain(JSON.stringify({ cut }))).toBe(true);
        expect(redactorOf(secret).text(once)).toBe(once);
      }
    });
    fc.assert(property, { numRuns: 50 });
  });

  it.each(Object.entries(encoders))("is removed where it was written as: %s", (_name, encode) => {
    const secret = "Kx9/vLq2+TzR7wYp4MnB";
    const form = encode(secret);
    const cut = `${form.slice(0, -2)}…`;

    expect(redactorOf(secret).text(`before ${cut}`)).toBe("before <redacted>…");
    expect(redactStream(secret, Buffer.from(`before ${cut}`))).toBe(
      `before <redacted>${latin1("…")}`,
    );
  });

  it("is removed from a stream however that comes", () => {
    const bytes = Buffer.from("a Kx9vLq2TzR7w… b …q2TzR7wYp4 c …Kx9vLq2TzR7wYp4… d");
    const clean = "a <redacted>… b …<redacted> c …<redacted>… d";

    for (let first = 0; first <= bytes.length; first += 1) {
      const stream = redactorOf("Kx9vLq2TzR7wYp4").stream();
      const chunks = [bytes.subarray(0, first), bytes.subarray(first)];
      const parts = [...chunks.map((chunk) => stream.push(chunk)), stream.end()];

      expect(Buffer.concat(parts).toString()).toBe(clean);
      expect(stream.count).toBe(3);
    }
  });

  it("is removed where JSON that cannot be read is quoted in part", () => {
    const secret = "Kx9vLq2TzR7wYp4";
    let message = "";
    try {
      JSON.parse(`{"a long enough beginning": ${secret}, "and": "an end of it, longer than that"}`);
    } catch (thrown) {
      message = String(thrown);
    }

    expect(message).toContain("Kx9vLq2Tz");
    expect(redactorOf(secret).text(message)).not.toContain("Kx9");
  });

  it("is removed as one piece with a secret that it overlaps, and counted once", () => {
    const redactor = createRedactor({
      secrets: [
        { name: "A", value: "abcdefgh" },
        { name: "B", value: "efghijklmnop" },
      ],
    });

    expect(redactor.text("x abcdefghijkl…")).toBe("x <redacted>…");
    expect(redactor.counts()).toEqual({ "exact-value": 1 });
  });
});

describe("a text that holds no whole secret and no mark of a cut", () => {
  it("passes unchanged, whatever parts of a secret it begins, ends and is filled with", () => {
    const parts = secretValue.chain((secret) =>
      fc.record({
        secret: fc.constant(secret),
        parts: fc.array(
          fc.oneof(
            surrounding,
            fc.tuple(fc.nat(), fc.nat()).map(([from, to]) => {
              const start = from % secret.length;
              return secret.slice(start, start + (to % secret.length));
            }),
          ),
          { minLength: 1, maxLength: 5 },
        ),
      }),
    );
    const property = fc.property(parts, ({ secret, parts }) => {
      const text = parts.join("");
      fc.pre(!text.includes(secret));
      const redactor = redactorOf(secret);

      expect(redactor.text(text)).toBe(text);
      expect(redactStream(secret, Buffer.from(text))).toBe(latin1(text));
      expect(redactor.json({ [text]: [text] })).toEqual({ [text]: [text] });
      expect(redactor.mayContain(JSON.stringify({ [text]: [text] }))).toBe(false);
      expect(redactor.counts()).toEqual({});
    });
    fc.assert(property, { numRuns: 300 });
  });

  it.each([
    ["production", "production-key-1"],
    ["tion-key-1", "production-key-1"],
    ["a piece of it in prose: production...", "production-key-1"],
    ["ends with a piece of seven before a mark: Kx9vLq2…", "Kx9vLq2TzR7wYp4"],
    ["a piece away from a mark: Kx9vLq2TzR7w and …", "Kx9vLq2TzR7wYp4"],
    ["dots that are no mark: Kx9vLq2TzR7w... more", "Kx9vLq2TzR7wYp4"],
  ])("keeps %j, where the secret is %j", (text, secret) => {
    expect(redactorOf(secret).text(text)).toBe(text);
    expect(redactStream(secret, Buffer.from(text))).toBe(latin1(text));
  });
});
