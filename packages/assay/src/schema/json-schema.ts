import type { z } from "zod";

import { isPlainObject } from "../support/json.ts";
import { definitionOf } from "../support/schema-definition.ts";
import { toWire } from "./codec.ts";
import { shapeOf, wireNameOf } from "./shape.ts";

type Json = Record<string, unknown>;

/** The JSON Schema (2020-12) of the wire form: snake_case keys. `input` allows what has a default to be absent. */
export function wireJsonSchema(schema: z.ZodType, io: "input" | "output" = "input"): Json {
  const result = schema.toJSONSchema({
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
    Object.assign(json, { type: "object", additionalProperties: embedded(shape.value, io) });
  }
  if (shape?.kind === "normalized") Object.assign(json, embedded(shape.value, io));
  const def = definitionOf(schema);
  if (def.type === "default") json["default"] = toWire(schema as z.ZodType, def.defaultValue);
  if (def.type === "object") renameKeys(def.shape, json);
}

function renameKeys(fields: Readonly<Record<string, z.core.$ZodType>>, json: Json): void {
  const wireName = (name: string) => {
    const field = fields[name];
    return field === undefined ? name : wireNameOf(name, field);
  };
  if (isPlainObject(json["properties"])) {
    const properties = Object.entries(json["properties"]);
    json["properties"] = Object.fromEntries(
      properties.map(([name, value]) => [wireName(name), value]),
    );
  }
  if (Array.isArray(json["required"]))
    json["required"] = json["required"].map((name) => wireName(String(name)));
}

/** Inside of another one it names no dialect. */
function embedded(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _dialect, ...json } = wireJsonSchema(schema, io);
  return json;
}
