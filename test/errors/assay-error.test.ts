import { inspect } from "node:util";
import { describe, expect, it } from "vitest";

import {
  AssayError,
  describeThrown,
  errorNameOf,
  isThrown,
  messageOf,
  stackOf,
} from "../../packages/assay/src/errors/assay-error.ts";

function refuse(): never {
  throw new Error("trap");
}

const traps: ProxyHandler<object> = {
  has: refuse,
  get: refuse,
  getPrototypeOf: refuse,
  getOwnPropertyDescriptor: refuse,
  ownKeys: refuse,
};

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const hostile: readonly (readonly [string, unknown])[] = [
  ["a proxy whose traps throw", new Proxy({}, traps)],
  ["a revoked proxy", revoked()],
  ["a proxy that has everything", new Proxy({}, { has: () => true })],
  ["an object that inherits from a proxy", Object.create(new Proxy({}, traps))],
  [
    "an error whose message throws",
    Object.defineProperty(new Error("x"), "message", { get: refuse }),
  ],
  ["an error whose name throws", Object.defineProperty(new Error("x"), "name", { get: refuse })],
];

describe("anything can be thrown", () => {
  it.each(hostile)("%s is no error of Assay", (_what, thrown) => {
    expect(AssayError.isInstance(thrown)).toBe(false);
  });

  it.each(hostile)("%s has a description", (_what, thrown) => {
    expect(describeThrown(thrown)).not.toBe("");
    expect(messageOf(thrown)).not.toBe("");
    expect(isThrown(thrown, RangeError)).toBe(false);
    expect(errorNameOf(thrown)).not.toBe("");
  });

  it("whose stack throws has none", () => {
    const thrown = Object.defineProperty(new Error("x"), "stack", { get: refuse });
    expect(stackOf(thrown)).toBeNull();
    expect(stackOf(revoked())).toBeNull();
  });

  it("knows an error of its own", () => {
    expect(AssayError.isInstance(new AssayError("ASSAY_CANCELLED", "over"))).toBe(true);
  });
});

it("the shown part of a thrown object is cut at its end, where redaction sees what the cut left", () => {
  const shown = describeThrown({ body: "x".repeat(10_000), more: 1 });

  expect(shown).toMatch(/^thrown value: \{ body: 'x+…$/);
  expect(shown.length).toBeLessThan(5000);
});

describe("an error that is told again with its place in front", () => {
  it("is no cause of itself: its cause is what caused it", () => {
    const root = new Error("root");
    const inner = new AssayError("ASSAY_TASK_INVALID", "no intent", { cause: root });
    const outer = new AssayError("ASSAY_TASK_INVALID", "s.yaml:3: no intent", { cause: inner });

    expect(outer.cause).toBe(root);
    expect(new AssayError("ASSAY_USAGE", "no intent", { cause: inner }).cause).toBe(inner);
  });

  it("shows its message once", () => {
    const inner = new AssayError("ASSAY_TASK_INVALID", "no intent");
    const middle = new AssayError("ASSAY_TASK_INVALID", `task "a": no intent`, { cause: inner });
    const outer = new AssayError("ASSAY_TASK_INVALID", `s.yaml: ${middle.message}`, {
      cause: middle,
    });

    const shown = inspect(outer);

    expect(shown.match(/no intent/g)).toHaveLength(1);
    expect(shown).not.toContain("[cause]");
  });
});
