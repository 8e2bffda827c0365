import { describe, expect, it } from "vitest";
import { z } from "zod";

import { toWire } from "../../packages/assay/src/schema/codec.ts";
import { wireJsonSchema } from "../../packages/assay/src/schema/json-schema.ts";
import { schemaNames, wireSchemaOf } from "../../packages/assay/src/schema/persisted.ts";
import { slsaParts } from "../../packages/assay/src/schema/provenance.ts";
import { goldenRows } from "./golden-rows.ts";

type Json = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown) => typeof value === "boolean" || isObject(value);
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
const isNumber = (value: unknown) => typeof value === "number";
const isText = (value: unknown) => typeof value === "string";
const isTextList = (value: unknown) => Array.isArray(value) && value.every(isText);
const types = ["string", "number", "integer", "boolean", "null", "object", "array"];

/** What the 2020-12 vocabularies say about the value of each keyword that may occur here. */
const keywords: Readonly<Record<string, (value: unknown) => boolean>> = {
  $schema: (value) => value === "https://json-schema.org/draft/2020-12/schema",
  type: (value) => [value].flat().every((type) => types.includes(type as string)),
  properties: isObject,
  required: (value) =>
    isTextList(value) && new Set(value as string[]).size === (value as string[]).length,
  additionalProperties: isSchema,
  propertyNames: isSchema,
  items: isSchema,
  prefixItems: Array.isArray,
  anyOf: (value) => Array.isArray(value) && value.length > 0,
  oneOf: (value) => Array.isArray(value) && value.length > 0,
  allOf: (value) => Array.isArray(value) && value.length > 0,
  not: isSchema,
  enum: (value) => Array.isArray(value) && value.length > 0,
  const: () => true,
  default: () => true,
  description: isText,
  title: isText,
  pattern: (value) => isText(value) && new RegExp(value as string, "u") instanceof RegExp,
  format: isText,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  "x-slsa": (value) => slsaParts.includes(value as never),
};

/** The schemas below a schema, each with its place. */
function* below(schema: unknown, place: string): Generator<readonly [string, Json]> {
  if (!isObject(schema)) return;
  yield [place, schema];
  const {
    properties,
    items,
    additionalProperties,
    propertyNames,
    not,
    anyOf,
    oneOf,
    allOf,
    prefixItems,
  } = schema as Record<string, unknown>;
  for (const [key, child] of Object.entries(isObject(properties) ? properties : {}))
    yield* below(child, `${place}.${key}`);
  for (const [index, child] of [anyOf, oneOf, allOf, prefixItems]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .entries())
    yield* below(child, `${place}|${index}`);
  for (const child of [items, additionalProperties, propertyNames, not])
    yield* below(child, `${place}[]`);
}

describe.each(schemaNames)("the JSON Schema of %s", (name) => {
  const schema = wireSchemaOf(name);
  const parts = [...below(schema, name)];

  it("says that it is of the 2020-12 dialect, once", () => {
    expect(schema["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(parts.filter(([, part]) => "$schema" in part)).toHaveLength(1);
  });

  it("uses only keywords of that dialect, each with a value it allows", () => {
    const wrong = parts.flatMap(([place, part]) =>
      Object.entries(part)
        .filter(([keyword, value]) => keywords[keyword]?.(value) !== true)
        .map(([keyword, value]) => `${place} ${keyword}: ${JSON.stringify(value)}`),
    );

    expect(wrong).toStrictEqual([]);
  });

  it("names everything as the wire does: snake_case in properties, in required and in defaults", () => {
    const names = parts.flatMap(([, part]) => [
      ...Object.keys(isObject(part["properties"]) ? part["properties"] : {}),
      ...(Array.isArray(part["required"]) ? (part["required"] as string[]) : []),
      ...Object.keys(isObject(part["default"]) ? part["default"] : {}),
    ]);

    expect(
      names.filter(
        (part) =>
          !/^[a-z_][a-z0-9_]*$/.test(part) &&
          !/^(https?:|_type$|predicateType$|payloadType$)/.test(part),
      ),
    ).toStrictEqual([]);
  });

  it("can be read back as a schema", () => {
    expect(() => z.fromJSONSchema(plain(schema))).not.toThrow();
  });
});

/** Without what zod's reader does not know; it only widens the schema. */
function plain(schema: unknown): never {
  const without = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(without);
    if (!isObject(value)) return value;
    const { not: _not, ...rest } = value as Record<string, unknown>;
    if (Array.isArray(rest["anyOf"]) && rest["properties"] !== undefined) delete rest["anyOf"];
    return Object.fromEntries(Object.entries(rest).map(([key, child]) => [key, without(child)]));
  };
  return without(schema) as never;
}

const rowSchemas: Readonly<Record<string, string>> = {
  "metadata.json": "metadata",
  "run.json": "manifest",
  tasks: "task",
  trials: "trial",
  scores: "score",
  summary: "summary",
};

function schemaNameOf(place: string): string {
  const key = Object.keys(rowSchemas).find((part) => place.includes(part)) ?? "";
  return rowSchemas[key] ?? "";
}

describe("a validator that knows only the JSON Schema", () => {
  it.each(goldenRows)("accepts $place", ({ place, wire }) => {
    const validator = z.fromJSONSchema(plain(wireSchemaOf(schemaNameOf(place))));

    expect(validator.safeParse(wire).error?.issues ?? []).toStrictEqual([]);
  });

  it.each(goldenRows)("refuses $place with a key of the TypeScript form", ({ place, wire }) => {
    const validator = z.fromJSONSchema(plain(wireSchemaOf(schemaNameOf(place))));
    const isOpen = place === "run.json";

    expect(validator.safeParse({ ...(wire as object), taskCountX: 1 }).success).toBe(isOpen);
  });
});

describe("wireJsonSchema", () => {
  const schema = z.strictObject({
    innerPart: z.strictObject({ firstName: z.string().default("a") }).default({ firstName: "b" }),
  });

  it("asks for less of what is written by users than of what is read from Assay", () => {
    expect(wireJsonSchema(schema, "input")["required"]).toBeUndefined();
    expect(wireJsonSchema(schema, "output")["required"]).toStrictEqual(["inner_part"]);
  });

  it("spells defaults as the wire does", () => {
    expect(wireJsonSchema(schema)).toMatchObject({
      properties: { inner_part: { default: toWire(schema.shape.innerPart, { firstName: "b" }) } },
    });
  });
});
