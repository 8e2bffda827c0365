import { z } from "zod";

import {
  isJson,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  setOwn,
  whyNotJson,
} from "../support/json.ts";
import { type Normalize, shaped } from "./shape.ts";

function free<T>(schema: z.ZodType<T>, json: Record<string, unknown>): z.ZodType<T> {
  return shaped(schema, { kind: "free", json });
}

/** Any JSON value, carried as it is: its keys belong to the caller. */
export function jsonValue() {
  return free(
    z.custom<JsonValue>(isJson, {
      error: (issue) => `expected JSON data, but ${whyNotJson(issue.input)}`,
    }),
    {},
  );
}

/** A JSON object whose keys belong to the caller; `__proto__` is a key like any other. */
export function jsonObject() {
  return free(
    z.custom<JsonObject>((value) => isPlainObject(value) && isJson(value), {
      error: (issue) =>
        isPlainObject(issue.input)
          ? `expected JSON data, but ${whyNotJson(issue.input)}`
          : "expected an object of JSON data",
    }),
    { type: "object" },
  );
}

/** A map from names of the caller's to strings. */
export function stringMap() {
  const isStringMap = (value: unknown) =>
    isPlainObject(value) && Object.values(value).every((item) => typeof item === "string");
  return free(
    z.custom<Readonly<Record<string, string>>>(isStringMap, {
      error: "expected an object with string values",
    }),
    { type: "object", additionalProperties: { type: "string" } },
  );
}

/** A map from names of the caller's to values of one schema. Unlike `z.record` it keeps `__proto__`. */
export function dataMap<T extends z.ZodType>(value: T) {
  const schema = z
    .custom<Readonly<Record<string, z.input<T>>>>(isPlainObject, { error: "expected an object" })
    .transform((input, context): Readonly<Record<string, z.output<T>>> => {
      const result: Record<string, z.output<T>> = {};
      for (const key of Object.keys(input)) {
        const parsed = value.safeParse(input[key]);
        if (parsed.success) setOwn(result, key, parsed.data);
        else
          for (const issue of parsed.error.issues)
            context.addIssue({ ...issue, path: [key, ...issue.path] } as never);
      }
      return result;
    });
  return shaped(schema, { kind: "map", value });
}

/**
 * Values of one schema that may also be given in a shorter form. `normalize` sees both spellings: it must leave the
 * long form as it is, and read and make only names that are spelt alike in both.
 */
export function normalized<T extends z.ZodType>(normalize: Normalize, value: T) {
  return shaped(z.preprocess(normalize, value), { kind: "normalized", value, normalize });
}

/** A string of at least one character. */
export function name() {
  return z.string().min(1, "must not be empty");
}
