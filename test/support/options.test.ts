import { describe, expect, it } from "vitest";
import { z } from "zod";

import { parseFields } from "../../packages/assay/src/schema/codec.ts";
import { hostPath } from "../../packages/assay/src/schema/path-option.ts";
import { isPathSchema } from "../../packages/assay/src/schema/shape.ts";
import { namedFunction } from "../../packages/assay/src/support/named-function.ts";
import {
  credential,
  functionIdentity,
  isFunctionSchema,
  operational,
  schemasOf,
  shapes,
} from "../../packages/assay/src/support/options.ts";

const agent = () => namedFunction<"agent", () => string>("agent");

describe("options", () => {
  it("carry their role, and operational ones say why they cannot change results", () => {
    expect(shapes(z.string())).toMatchObject({ role: "shapes", why: null });
    expect(operational(z.int(), "a count")).toMatchObject({ role: "operational", why: "a count" });
    expect(credential(z.string())).toMatchObject({ role: "credential", why: null });
  });

  it("are checked as one strict object, with defaults filled in", () => {
    const schemas = schemasOf({
      model: shapes(z.string().default("m")),
      count: operational(z.int().optional(), "a count"),
    });

    expect(parseFields(schemas, {}, { source: "test" })).toStrictEqual({ model: "m" });
    expect(() => parseFields(schemas, { modle: "x" }, { source: "test" })).toThrow(
      'test: unknown key "modle" (did you mean "model"?)',
    );
  });
});

describe("a named function", () => {
  it.each<[string, unknown, boolean]>([
    ["with a name", { name: "a", agent: () => "" }, true],
    ["with a module", { name: "a", module: "assay", agent: () => "" }, true],
    ["without a name", { agent: () => "" }, false],
    ["with an empty name", { name: "", agent: () => "" }, false],
    ["with a name that is no text", { name: 5, agent: () => "" }, false],
    ["without a function", { name: "a" }, false],
    ["that is bare", () => "", false],
    ["that is null", null, false],
  ])("%s: %s", (_what, value, isAccepted) => {
    expect(agent().safeParse(value).success).toBe(isAccepted);
  });

  it.each<[z.ZodType, boolean]>([
    [agent(), true],
    [agent().describe("with words"), true],
    [agent().optional(), true],
    [agent().nullable().default(null), true],
    [agent().default({ name: "d", agent: () => "" }), true],
    [z.string(), false],
    [z.string().default(""), false],
  ])("is known as one behind defaults and descriptions (%#)", (schema, isFunction) => {
    expect(isFunctionSchema(schema)).toBe(isFunction);
  });

  it.each([
    [{ name: "a" }, "suite", "suite#a"],
    [{ name: "a" }, "", "a"],
    [{ name: "a", module: "assay" }, "suite", "assay#a"],
  ])("%j in the suite %j is recorded as %s", (value, suiteName, identity) => {
    expect(functionIdentity(value, suiteName)).toBe(identity);
  });
});

describe("a host path", () => {
  it.each<[string, boolean]>([
    ["tool", true],
    ["/usr/bin/tool", true],
    ["", false],
    ["a\0b", false],
  ])("%j: %s", (path, isAccepted) => {
    expect(hostPath().safeParse(path).success).toBe(isAccepted);
  });

  it.each<[z.ZodType, boolean]>([
    [hostPath(), true],
    [hostPath().describe("with words").default("tool"), true],
    [hostPath().nullable().default(null), true],
    [z.string(), false],
  ])("is known as one behind defaults and descriptions (%#)", (schema, isPath) => {
    expect(isPathSchema(schema)).toBe(isPath);
  });
});
