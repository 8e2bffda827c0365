import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineSuite } from "assay";
import { describe, expect, it } from "vitest";
import { loadSuite } from "../../../packages/assay/src/engine/suite/load-suite.ts";
import { sha256Hex } from "../../../packages/assay/src/support/digest.ts";
import { load, loadError, loadRequest, suiteFolder } from "./suite-folder.ts";

const metric = `{ type: "m", version: null, config: {}, outputs: [{ name: "score", kind: "continuous", description: null, absent: 0 }], needs: [], compute: async () => ({ outputs: {} }) }`;
const task = `{ id: "a", intent: "", inputs: { instruction: "do" } }`;
const suite = (more = "") => `{ name: "s", tasks: [${task}], metrics: [${metric}], ${more} }`;
const simple = `export default ${suite()};`;

describe("a suite module", () => {
  const modules = {
    "suites/checkout.eval.ts": `
      import { a } from "./lib/a.ts";
      import { b } from "./lib/b.js";
      import c from "./c.cjs";
      import d from "./d.json" with { type: "json" };
      import { e } from "../e.mjs";
      import type { F } from "./only-a-type.ts";
      interface Extra { readonly x: number }
      const extra: Extra = { x: await Promise.resolve(1) };
      export default ${suite("labels: { all: [a, b, c.c, d.d, e, String(extra.x)].join() }")};`,
    "suites/lib/a.ts": `export const a: string = "a";`,
    "suites/lib/b.js": `import { a } from "./a.js"; export const b = "b" + a;`,
    "suites/c.cjs": `module.exports = { c: "c" };`,
    "suites/d.json": `{ "d": "d" }`,
    "suites/only-a-type.ts": `export type F = 1;`,
    "node_modules/pkg/index.mjs": `export const e = "e";`,
    "node_modules/pkg/package.json": `{ "name": "pkg", "exports": "./index.mjs" }`,
    "e.mjs": `export { e } from "pkg";`,
  };

  it("is loaded with the local modules it imports, of whatever kind, and their bytes are recorded", async () => {
    const { labels, code, baseName } = await load("suites/checkout.eval.ts", modules);

    expect(labels).toEqual({ all: "a,ba,c,d,e,1" });
    expect(baseName).toBe("checkout");
    expect(code?.files).toEqual(
      ["../e.mjs", "c.cjs", "checkout.eval.ts", "d.json", "lib/a.ts", "lib/b.js"].map((path) => ({
        path,
        sha256: sha256Hex(modules[join("suites", path) as keyof typeof modules]),
      })),
    );
  });

  it("has the same code digest in another folder, and another one when any of its modules changes", async () => {
    const first = await load("suites/checkout.eval.ts", modules);
    const elsewhere = await load("suites/checkout.eval.ts", modules);
    const changed = await load("suites/checkout.eval.ts", {
      ...modules,
      "e.mjs": `export { e } from "pkg"; `,
    });

    expect(elsewhere.code?.digest).toBe(first.code?.digest);
    expect(changed.code?.digest).not.toBe(first.code?.digest);
  });

  it("records modules that are imported only later, inside a function", async () => {
    const { code } = await load("s.eval.ts", {
      "s.eval.ts": `const later = async () => (await import("./agent.ts")).run; export default ${suite("labels: {}")};`,
      "agent.ts": `import "./model.ts"; export const run = 1;`,
      "model.ts": `throw new Error("not evaluated at load");`,
    });

    expect(code?.files.map(({ path }) => path)).toEqual(["agent.ts", "model.ts", "s.eval.ts"]);
  });

  it("records what CommonJS modules require, and what the suite requires", async () => {
    const { code } = await load("s.eval.ts", {
      "s.eval.ts": `
        import { createRequire } from "node:module";
        import a from "./a.cjs";
        const require = createRequire(import.meta.url);
        const { title } = require("./title.json");
        export default ${suite("labels: { title, a: a.b }")};`,
      "a.cjs": `exports.b = require("./b.cjs");`,
      "b.cjs": `module.exports = require("./c.js");`,
      "c.js": `module.exports = "c";`,
      "title.json": `{ "title": "t" }`,
    });

    expect(code?.files.map(({ path }) => path)).toEqual([
      "a.cjs",
      "b.cjs",
      "c.js",
      "s.eval.ts",
      "title.json",
    ]);
  });

  it("sees modules as they are on disk at each load", async () => {
    const root = suiteFolder({
      "s.eval.ts": `import n from "./n.json"; import { m } from "./m.ts"; export default ${suite("labels: { n: n.n, m }")};`,
      "n.json": `{"n":"1"}`,
      "m.ts": `export const m = "1"`,
    });
    const before = await loadSuite(join(root, "s.eval.ts"), loadRequest);
    writeFileSync(join(root, "n.json"), `{"n":"2"}`);
    writeFileSync(join(root, "m.ts"), `export const m = "2"`);

    const after = await loadSuite(join(root, "s.eval.ts"), loadRequest);

    expect([before.labels, after.labels]).toEqual([
      { n: "1", m: "1" },
      { n: "2", m: "2" },
    ]);
  });

  it("evaluates a module once, also when several importers ask for it at the same time or in a circle", async () => {
    const { labels } = await load("s.eval.ts", {
      "s.eval.ts": `
        const [x, y] = await Promise.all([import("./x.ts"), import("./y.ts")]);
        export default ${suite("labels: { x: x.x, y: y.y, count: String(globalThis.slowLoads) }")};`,
      "x.ts": `import { slow } from "./slow.mjs"; export const x = slow;`,
      "y.ts": `import { slow } from "./slow.mjs"; export const y = slow;`,
      "slow.mjs": `
        import { back } from "./back.mjs";
        globalThis.slowLoads = (globalThis.slowLoads ?? 0) + 1;
        await new Promise((done) => setImmediate(done));
        export const slow = "slow";
        export const used = back;`,
      "back.mjs": `import * as slow from "./slow.mjs"; export const back = () => slow.slow;`,
    });

    expect(labels).toEqual({ x: "slow", y: "slow", count: "1" });
  });

  it("gets this very instance of Assay for every import of it, from wherever it lies", async () => {
    const root = suiteFolder({
      "s.eval.ts": `
        import { defineSuite } from "assay";
        import { same } from "./inner.mjs";
        export default defineSuite(${suite("labels: { same: String(same === defineSuite) }")} as never) ;
        (globalThis as { seen?: unknown }).seen = defineSuite;`,
      "inner.mjs": `export { defineSuite as same } from "assay";`,
    });

    const { labels } = await loadSuite(join(root, "s.eval.ts"), loadRequest);

    expect(labels).toEqual({ same: "true" });
    expect((globalThis as { seen?: unknown }).seen).toBe(defineSuite);
  });

  it("may be a function of parameters, which are kept", async () => {
    const factory = `export default async ({ model, size }: Record<string, string>) => (${suite("labels: { model, size }")});`;

    const { labels, parameters } = await load(
      "s.eval.ts",
      { "s.eval.ts": factory },
      { model: "m-1", size: "2" },
    );

    expect(labels).toEqual({ model: "m-1", size: "2" });
    expect(parameters).toEqual({ model: "m-1", size: "2" });
  });

  it("leaves no file behind in its folder", async () => {
    const root = suiteFolder({ "s.eval.ts": simple });
    await loadSuite(join(root, "s.eval.ts"), loadRequest);

    expect(readFileSync(join(root, "s.eval.ts"), "utf8")).toBe(simple);
    expect((await loadRequest.files.list(root)).join()).toBe("s.eval.ts");
  });
});

describe("a suite module that cannot be used is refused in one message that names file and place", () => {
  const cases: readonly [string, Record<string, string>, string, string][] = [
    ["a missing file", {}, "ASSAY_SUITE_NOT_FOUND", "s.eval.ts: there is no such file"],
    ["a folder", { "s.eval.ts/x": "" }, "ASSAY_SUITE_NOT_FOUND", "s.eval.ts is not a file"],
    [
      "a throw before the imports",
      {
        "s.eval.ts": `const a: number = 1;\nthrow new Error("early");\n\nimport { b } from "./b.ts";\n\n\nexport default [a, b];`,
        "b.ts": "export const b = 1;",
      },
      "ASSAY_SUITE_LOAD_FAILED",
      "s.eval.ts:2:7: threw while it was loaded",
    ],
    [
      "a syntax error",
      { "s.eval.ts": "const a = 1;\nconst b = = 2;\n" },
      "ASSAY_SUITE_LOAD_FAILED",
      "s.eval.ts:2:11: syntax error: Unexpected token",
    ],
    [
      "a syntax error in an imported module",
      { "s.eval.ts": `import "./lib/a.ts";`, "lib/a.ts": "\n  const a = 1a;" },
      "ASSAY_SUITE_LOAD_FAILED",
      "lib/a.ts:2:14: syntax error: Identifier directly after number.",
    ],
    [
      "a syntax error in CommonJS",
      { "s.eval.ts": `import "./a.cjs";`, "a.cjs": "\nconst a = = 1;" },
      "ASSAY_SUITE_LOAD_FAILED",
      "a.cjs:2:11: syntax error: Unexpected token",
    ],
    [
      "broken JSON",
      { "s.eval.ts": `import "./a.json";`, "a.json": '{\n  "a": 1,\n}' },
      "ASSAY_SUITE_LOAD_FAILED",
      "a.json:3:1: syntax error: ",
    ],
    [
      "a missing import",
      { "s.eval.ts": `import "./a.ts";\n  import "./missing.ts";`, "a.ts": "" },
      "ASSAY_SUITE_LOAD_FAILED",
      `s.eval.ts:2:10: cannot find "./missing.ts"`,
    ],
    [
      "a missing import of an imported module",
      { "s.eval.ts": `import "./a.mjs";`, "a.mjs": `import './gone.mjs'` },
      "ASSAY_SUITE_LOAD_FAILED",
      `a.mjs:1:8: cannot find "./gone.mjs"`,
    ],
    [
      "a missing package",
      { "s.eval.ts": `import { x } from "@acme/not-there/x"; x();` },
      "ASSAY_SUITE_LOAD_FAILED",
      `s.eval.ts:1:19: cannot find "@acme/not-there/x"`,
    ],
    [
      "an export that Assay does not have",
      { "s.eval.ts": `import { x } from "assay/metric"; x();` },
      "ASSAY_SUITE_LOAD_FAILED",
      `s.eval.ts:1:19: "assay/metric" does not exist (did you mean "assay/metrics"?)`,
    ],
    [
      "a throw at load",
      {
        "s.eval.ts": `\nconst f = (n: number): never => {\n        throw new RangeError("too " + n);\n};\nf(3);`,
      },
      "ASSAY_SUITE_LOAD_FAILED",
      "s.eval.ts:3:15: threw while it was loaded: RangeError: too 3",
    ],
    [
      "a throw in a module",
      { "s.eval.ts": `import "./a.js";`, "a.js": `export const x = 1;\nnull.y;` },
      "ASSAY_SUITE_LOAD_FAILED",
      "a.js:2:6: threw while it was loaded: TypeError",
    ],
    [
      "a name that a module does not export",
      { "s.eval.ts": `import { f } from "./a.ts";\nf();`, "a.ts": "export {};" },
      "ASSAY_SUITE_LOAD_FAILED",
      "s.eval.ts:2:2: threw while it was loaded: TypeError: f is not a function",
    ],
    [
      "a throw in the factory",
      { "s.eval.ts": `export default () => {\n  throw "no";\n};` },
      "ASSAY_SUITE_LOAD_FAILED",
      "s.eval.ts: threw while it was loaded: thrown value: no",
    ],
    [
      "a throw of the generator of tasks",
      {
        "s.eval.ts": `export default { name: "s", metrics: [${metric}], tasks: (function* () {\n  throw new Error("no rows");\n})() };`,
      },
      "ASSAY_SUITE_LOAD_FAILED",
      "s.eval.ts:2:9: threw while it was loaded: Error: no rows",
    ],
    [
      "no default export",
      { "s.eval.ts": `export const suite = {}; export const x = 1;` },
      "ASSAY_SUITE_INVALID",
      "s.eval.ts: there is no default export (it exports suite, x); expected `export default defineSuite({ ... })`",
    ],
    [
      "a default export of another kind",
      { "s.eval.ts": `export default "x";` },
      "ASSAY_SUITE_INVALID",
      "s.eval.ts: the suite is a string; expected defineSuite({ name, tasks, metrics, target })",
    ],
    [
      "an unknown key",
      { "s.eval.ts": `export default ${suite("failFats: true")};` },
      "ASSAY_CONFIG_UNKNOWN_KEY",
      `s.eval.ts: unknown key "failFats" (did you mean "failFast"?)`,
    ],
    [
      "a key of the other spelling",
      { "s.eval.ts": `export default ${suite("fail_fast: true")};` },
      "ASSAY_CONFIG_UNKNOWN_KEY",
      `s.eval.ts: unknown key "fail_fast" (did you mean "failFast"?)`,
    ],
    [
      "a value of the wrong kind",
      { "s.eval.ts": `export default ${suite("trials: 0, labels: { a: 1 }")};` },
      "ASSAY_SUITE_INVALID",
      "s.eval.ts: trials: Too small: expected number to be >0; labels: expected an object with string values",
    ],
    [
      "imported trials given as trials",
      { "s.eval.ts": `export default ${suite("trials: []")};` },
      "ASSAY_SUITE_INVALID",
      "s.eval.ts: trials is the number of trials per task; rows made elsewhere go to importedTrials",
    ],
    [
      "no tasks key",
      { "s.eval.ts": `export default { name: "s" };` },
      "ASSAY_SUITE_INVALID",
      "s.eval.ts: tasks is missing",
    ],
    [
      "a secret's value instead of its name",
      { "s.eval.ts": `export default ${suite('secrets: ["sk-123"]')};` },
      "ASSAY_SUITE_INVALID",
      "s.eval.ts: secrets[0]: ",
    ],
    [
      "a target that is no runner",
      { "s.eval.ts": `export default ${suite("target: { runTasks() {} }")};` },
      "ASSAY_TARGET_INVALID",
      "s.eval.ts: target is no runner: it has no method `runnerInfo`",
    ],
    [
      "a target and imported trials",
      {
        "s.eval.ts": `export default ${suite(`importedTrials: [], target: { contractVersion: 1, runnerInfo() {}, runTasks() {} }`)};`,
      },
      "ASSAY_SUITE_INVALID",
      "s.eval.ts: give a target or imported trials, not both",
    ],
    [
      "another kind of file",
      { "s.eval.ts": "", "s.txt": "" },
      "ASSAY_SUITE_INVALID",
      "s.txt: a suite is a file that ends in .ts, .js, .yaml or .json",
    ],
  ];

  it.each(cases)("%s", async (_name, files, code, message) => {
    const error = await loadError("s.txt" in files ? "s.txt" : "s.eval.ts", files);

    expect(error.message).toContain(message);
    expect(error.message.indexOf(message)).toBe(0);
    expect(error.message).toBe(error.message.trimEnd());
    expect(error.code).toBe(code);
  });

  it.each([
    [
      "modle",
      `(p: Record<string, string>) => (${suite("labels: { model: p['model'] ?? 'none' }")})`,
      'did you mean "model"',
    ],
    ["model", `() => (${suite()})`, "it reads none"],
  ])("the parameter %s that the suite does not read", async (name, factory, hint) => {
    const files = { "s.eval.ts": `export default ${factory};` };

    const error = await loadError("s.eval.ts", files, { [name]: "x" });

    expect(error.code).toBe("ASSAY_USAGE");
    expect(error.message).toContain(hint);
  });

  it("no parameter that is only read when the agent runs", async () => {
    const factory = `(p: Record<string, string>) => (${suite("labels: {}")})`;

    const { parameters } = await load(
      "s.eval.ts",
      { "s.eval.ts": `export default ${factory};` },
      { model: "x" },
    );

    expect(parameters).toEqual({ model: "x" });
  });

  it("no parameter of a suite that takes them all", async () => {
    const factory = `(p: Record<string, string>) => (${suite("labels: { ...p }")})`;

    const { labels } = await load(
      "s.eval.ts",
      { "s.eval.ts": `export default ${factory};` },
      { anything: "x" },
    );

    expect(labels).toEqual({ anything: "x" });
  });

  it("parameters for a suite that is no function", async () => {
    const error = await loadError("s.eval.ts", { "s.eval.ts": simple }, { model: "x" });

    expect(error).toMatchObject({
      code: "ASSAY_USAGE",
      message: `s.eval.ts takes no parameters, but "model" was given`,
      remedy: expect.stringContaining("export default defineSuite((parameters) =>"),
    });
  });
});
