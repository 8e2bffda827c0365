import fc from "fast-check";
import { expect, it } from "vitest";

import { DriverReader } from "../../../packages/assay/src/runners/fabric/messages.ts";

const token = "0123456789abcdef";
const line = (fields: object) => JSON.stringify({ assay_fabric: 1, token, ...fields });
const result = line({ type: "result", sha256: "a".repeat(64), size_bytes: 10 });

it("takes the driver's answer, and the first one alone", () => {
  const reader = new DriverReader(token);
  reader.readLine(line({ type: "started" }));
  reader.readLine(result);
  reader.readLine(line({ type: "failed", where: "run", message: "later" }));
  expect(reader).toMatchObject({ hasStarted: true, strayLines: 1, answer: { type: "result" } });
});

it.each([
  ["nothing", ""],
  ["noise", "Loading model..."],
  ["a torn line", result.slice(0, -5)],
  ["a line that was cut", `${result.slice(0, 40)}…`],
  ["another's token", result.replace(token, "guessed")],
  ["no token", JSON.stringify({ assay_fabric: 1, type: "started" })],
  ["another version of the protocol", result.replace('"assay_fabric":1', '"assay_fabric":2')],
  ["an unknown message", line({ type: "reward" })],
  ["a message without its fields", line({ type: "result" })],
  ["a list", "[1]"],
  ["a word of JSON", "null"],
  ["two answers in a line", `${result}${result}`],
])("believes no %s", (_name, text) => {
  const reader = new DriverReader(token);
  reader.readLine(text);
  expect(reader).toMatchObject({ answer: null, hasStarted: false, strayLines: 1 });
});

it("survives any lines, and still takes the answer among them", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.json()), (before, after) => {
      const reader = new DriverReader(token);
      for (const text of [...before, result, ...after]) reader.readLine(text);
      expect(reader.answer).toMatchObject({ type: "result", size_bytes: 10 });
      expect(reader.strayLines).toBe(before.length + after.length);
    }),
  );
});
