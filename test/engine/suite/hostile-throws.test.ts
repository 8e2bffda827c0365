import { describe, expect, it } from "vitest";

import { load, loadError } from "./suite-folder.ts";

const traps = `new Proxy(new Error("x"), {
  get() { throw new Error("get"); }, has() { throw new Error("has"); },
  getPrototypeOf() { throw new Error("prototype"); },
})`;
const getters = `Object.freeze(["stack", "name", "message", "cause", "code"].reduce((error, key) =>
  Object.defineProperty(error, key, { get() { throw new Error(key); } }), new Error("x")))`;
const hostile = [
  ["a proxy that throws when it is looked at", traps],
  ["a frozen error whose getters throw", getters],
  ["an error whose stack is a number", `Object.assign(new Error("x"), { stack: 5 })`],
  [
    "an error whose stack holds a URL of no file",
    `Object.assign(new Error("x"), { stack: "at file://elsewhere/a%2fb.ts:1:1" })`,
  ],
  [
    "an error whose stack has one endless line",
    `Object.assign(new Error("x"), { stack: "(/a".repeat(1_000_000) })`,
  ],
  ["nothing", "null"],
] as const;

describe.each(hostile)("%s", (_what, value) => {
  it("thrown while a suite is loaded is told as a fault of that suite", async () => {
    const error = await loadError("s.eval.ts", { "s.eval.ts": `throw ${value};` });

    expect(error).toMatchObject({
      code: "ASSAY_SUITE_LOAD_FAILED",
      message: expect.stringMatching(/^s\.eval\.ts.*threw while it was loaded/),
    });
  });

  it("thrown by code of a suite has no place in it, and is no second fault", async () => {
    const { code, labels } = await load("s.eval.ts", {
      "s.eval.ts": `
        globalThis.hostileThrow = () => { throw ${value}; };
        export default { name: "s", tasks: [{ id: "a", intent: "", inputs: { instruction: "x" } }], metrics: [function m() { return 1; }], labels: { a: "1" } };`,
    });
    const thrown = thrownBy(Reflect.get(globalThis, "hostileThrow"));
    Reflect.deleteProperty(globalThis, "hostileThrow");

    expect(labels).toEqual({ a: "1" });
    expect(code?.placeOf(thrown)).toBe(null);
  });
});

function thrownBy(action: () => never): unknown {
  try {
    return action();
  } catch (thrown) {
    return thrown;
  }
}
