import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";

import { GeneratedFunction } from "../../packages/assay/src/support/generated-function.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe("a function made of text", () => {
  it("refers to values by names, one for each", () => {
    const code = new GeneratedFunction();
    const list: unknown[] = [];
    const name = code.bind(list);

    expect(code.bind(list)).toBe(name);
    expect(code.bind([])).not.toBe(name);
    code.line(`${name}.push(given);`);
    code.line(`return ${name};`);
    expect(code.made<(given: string) => unknown>("given")?.("x")).toBe(list);
    expect(list).toEqual(["x"]);
  });

  it("gives back each bound value as it is, whatever text it holds", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (values) => {
        const code = new GeneratedFunction();
        code.line(`return [${values.map((value) => code.bind(value)).join(", ")}];`);

        expect(code.made<() => unknown>("")?.()).toEqual(values);
      }),
    );
  });

  it("has variables of its own", () => {
    const code = new GeneratedFunction();

    expect(code.variable()).not.toBe(code.variable());
  });

  it("throws what is wrong with its text", () => {
    const code = new GeneratedFunction();
    code.line("return (;");

    expect(() => code.made("")).toThrow(SyntaxError);
  });
});

describe("where the engine makes no functions of text", () => {
  const RealFunction = Function;
  // A library that asked before may go on.
  function refuse(...given: string[]): unknown {
    if (new.target !== undefined) return new RealFunction(...given);
    throw new EvalError("Code generation from strings disallowed for this context");
  }

  it("is null", async () => {
    vi.stubGlobal("Function", refuse);
    vi.resetModules();
    const refused = await import("../../packages/assay/src/support/generated-function.ts");

    expect(new refused.GeneratedFunction().made("")).toBeNull();
  });

  it("is read and written the long way, with the same result", async () => {
    const quick = await usual();
    vi.stubGlobal("Function", refuse);
    vi.resetModules();
    const long = await usual();

    expect(long.rows).toEqual(quick.rows);
    expect(long.isQuick).not.toContain(true);
    expect(quick.isQuick).toContain(true);
  });
});

/** The rows of the golden records, and which of them are read at once, with the modules as they are loaded now. */
async function usual() {
  const { formatRecord } = await import("../../packages/assay/src/schema/row-format.ts");
  const { quickDecode, unsure } = await import("../../packages/assay/src/schema/quick-decode.ts");
  const { goldenRows } = await import("../schema/golden-rows.ts");
  const { slowDecode } = await import("../schema/slow-decode.ts");
  return {
    rows: goldenRows.map(({ schema, wire }) => formatRecord(schema, slowDecode(schema, wire))),
    isQuick: goldenRows.map(({ schema, wire }) => quickDecode(schema, wire) !== unsure),
  };
}
