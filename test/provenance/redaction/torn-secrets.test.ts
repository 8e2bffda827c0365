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

describe("a secret torn by a cut", () => {
  it("leaves no eight characters of itself at the end of a text or a stream", () => {
    const property = fc.property(torn, ({ secret, text, at }) => {
      const cut = `${text}${secret.slice(0, at)}`;
      const adjacent = secret.slice(at - pieceLength, at);

      expect(redactorOf(secret).text(cut)).not.toContain(adjacent);
      expect(redactorOf(secret).text(`${cut}… (99 characters)`)).not.toContain(adjacent);
      expect(redactorOf(secret).json({ cut })["cut"]).not.toContain(adjacent);
      expect(redactStream(secret, Buffer.from(cut))).not.toContain(latin1(adjacent));
    });
    fc.assert(property, { numRuns: 150 });
  });

  it("leaves no eight characters of itself at the beginning of a text or a stream", () => {
    const property = fc.property(torn, ({ secret, text, at }) => {
      const cut = `${secret.slice(-at)}${text}`;
      const adjacent = secret.slice(-at).slice(0, pieceLength);

      expect(redactorOf(secret).text(cut)).not.toContain(adjacent);
      expect(redactorOf(secret).text(`99 before …${cut}`)).not.toContain(adjacent);
      expect(redactStream(secret, Buffer.from(cut))).not.toContain(latin1(adjacent));
    });
    fc.assert(property, { numRuns: 150 });
  });

  it("is seen in a serialised value, and gives the same when it is done twice", () => {
    const property = fc.property(torn, ({ secret, text, at }) => {
      for (const cut of [`${text}${secret.slice(0, at)}`, `${secret.slice(-at)}${text}`]) {
        const once = redactorOf(secret).text(cut);

        expect(redactorOf(secret).mayContain(JSON.stringify({ cut }))).toBe(true);
        expect(redactorOf(secret).text(once)).toBe(once);
      }
    });
    fc.assert(property, { numRuns: 100 });
  });

  it.each(Object.entries(encoders))("is removed where it was written as: %s", (_name, encode) => {
    const secret = "Kx9/vLq2+TzR7wYp4MnB";
    const form = encode(secret);
    const cut = form.slice(0, -2);

    expect(redactorOf(secret).text(`before ${cut}`)).toBe("before <redacted>");
    expect(redactStream(secret, Buffer.from(`before ${cut}`))).toBe("before <redacted>");
  });

  it.each([
    ["a piece of seven characters", "ends with Kx9vLq2", "Kx9vLq2TzR7wYp4"],
    ["a piece in the middle of a text", "has Kx9vLq2TzR7w in it", "Kx9vLq2TzR7wYp4"],
  ])("is left where it may be innocent: %s", (_name, text, secret) => {
    expect(redactorOf(secret).text(text)).toBe(text);
  });

  it("is removed as one piece with a secret that it overlaps, and counted once", () => {
    const redactor = createRedactor({
      secrets: [
        { name: "A", value: "abcdefgh" },
        { name: "B", value: "efghijklmnop" },
      ],
    });

    expect(redactor.text("x abcdefghijkl")).toBe("x <redacted>");
    expect(redactor.counts()).toEqual({ "exact-value": 1 });
  });
});
