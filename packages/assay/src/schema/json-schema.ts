import { z } from "zod";

import { toSnakeCase } from "../support/names.ts";
import { shapeOf } from "./free-form.ts";

type Json = Record<string, unknown>;

/** The JSON Schema (2020-12) of the wire form: snake_case keys. `input` allows what has a default to be absent. */
export function wireJsonSchema(schema: z.ZodType, io: "input" | "output" = "input"): Json {
  const result = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => describe(zodSchema, jsonSchema as Json, io),
  });
  return result as Json;
}

function describe(schema: z.core.$ZodType, json: Json, io: "input" | "output"): void {
  const shape = shapeOf(schema);
  if (shape?.kind === "free") Object.assign(json, shape.json);
  if (shape?.kind === "map") {
    const { $schema: _dialect, ...value } = wireJsonSchema(shape.value as z.ZodType, io);
    Object.assign(json, { type: "object", additionalProperties: value });
  }
  if (isRecord(json["properties"])) json["properties"] = mapKeys(json["properties"]);
  if (Array.isArray(json["required"])) json["required"] = json["required"].map((key) => toSnakeCase(String(key)));
}

function mapKeys(properties: Json): Json {
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [toSnakeCase(key), value]));
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
