import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { parseToml } from "../../packages/assay/src/support/toml.ts";
import { sharedFixtures } from "./tools.ts";

const read = (text: string) => parseToml(text, "task.toml");

describe("a TOML document", () => {
  it.each<[string, unknown]>([
    ["", {}],
    ["# only a comment", {}],
    ['a = "x" # comment\r\nb = 1\r\n', { a: "x", b: 1 }],
    ["a = [1, 2,\n # in between\n 3,\n]", { a: [1, 2, 3] }],
    ["a.b.c = true\na.d = false", { a: { b: { c: true }, d: false } }],
    [
      '[t]\nx = 1\n[t.u]\ny = 2\n["v w".z]\nq = 3',
      { t: { x: 1, u: { y: 2 } }, "v w": { z: { q: 3 } } },
    ],
    ["[t.u]\ny = 2\n[t]\nx = 1", { t: { u: { y: 2 }, x: 1 } }],
    ["[[l]]\na = 1\n[[l]]\na = 2\n[l.m]\nb = 3", { l: [{ a: 1 }, { a: 2, m: { b: 3 } }] }],
    ['a = [{ n = "x", e.f = 1 }, {}]', { a: [{ n: "x", e: { f: 1 } }, {}] }],
    [
      "a = 1_000\nb = 0xFf\nc = -0.5e-3\nd = 0o17\ne = 0b11\nf = +5",
      { a: 1000, b: 255, c: -0.0005, d: 15, e: 3, f: 5 },
    ],
    ["a = inf\nb = -inf\nc = nan", { a: Infinity, b: -Infinity, c: Number.NaN }],
    [
      "a = 1979-05-27T07:32:00Z\nb = 1979-05-27\nc = 07:32:00.5",
      { a: "1979-05-27T07:32:00Z", b: "1979-05-27", c: "07:32:00.5" },
    ],
    [String.raw`a = "\u00e9\U0001F600\t\"\\"`, { a: 'é😀\t"\\' }],
    [String.raw`a = 'C:\x'`, { a: String.raw`C:\x` }],
    ['a = """\nx \\\n   y""""', { a: 'x y"' }],
    ["a = '''\nx\n'y'''", { a: "x\n'y" }],
    ['"" = 1', { "": 1 }],
    ["__proto__ = 1", JSON.parse('{"__proto__": 1}')],
  ])("%j gives %j", (text, data) => {
    expect(read(text)).toStrictEqual(data);
  });

  it.each<[string, number, string]>([
    ["a = ", 1, "a value is missing"],
    ["a", 1, "`=` is missing"],
    ["x = 1\na = 1 b = 2", 2, "the line should end here"],
    ['a = "x', 1, "a text has no end"],
    ["a = [1 2]", 1, "a list needs"],
    ["a = 1\na = 2", 2, '"a" is there already'],
    ["[a]\n[a]", 2, '"a" is there already'],
    ["a = 1\n[a.b]", 2, '"a" is no table'],
    ["a = { b = 1 }\na.c = 2", 2, '"a" is no table'],
    ["a = [1]\n[[a]]", 2, '"a" is there already'],
    ["[a", 1, "`]` is missing"],
    ["a = 01", 1, "a value is missing"],
    ["a = 1__0", 1, "a value is missing"],
    [String.raw`a = "\q"`, 1, "means nothing"],
    [String.raw`a = "\ud800"`, 1, "no such character"],
    ["= 1", 1, "a key is missing"],
    [`a = ${"[".repeat(500)}`, 1, "nested too deeply"],
  ])("%j is refused at line %i: %s", (text, line, problem) => {
    expect(() => read(text)).toThrow(problem);
    expect(() => read(text)).toThrow(`task.toml, line ${line}: `);
  });

  it("that a benchmark really has is read whole", () => {
    const text = readFileSync(sharedFixtures("harbor/calculator.task.toml"), "utf8");

    expect(read(text)).toMatchObject({
      schema_version: "1.3",
      task: {
        name: "nvidia/fabric-calculator",
        authors: [{ name: "NVIDIA NeMo Fabric" }],
        keywords: ["agents", "calculator", "coding", "fabric", "harbor"],
      },
      agent: { timeout_sec: 900 },
      environment: { network_mode: "public", cpus: 2, gpus: 0 },
    });
  });
});
