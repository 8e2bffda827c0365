import { z } from "zod";

import type { Redactor } from "../contracts/redactor.ts";
import { shapeOf, wireNameOf } from "../schema/shape.ts";
import { FreeNames } from "../support/free-names.ts";
import { isPlainObject, type JsonValue, setOwn } from "../support/json.ts";

/** `settings`: free-form data are settings, so what is named like a credential goes too. `data`: exact secrets only. */
export type RedactionMode = "settings" | "data";

type Rule = (value: unknown, redactor: Redactor, mode: RedactionMode) => unknown;

/**
 * A record or its wire form without secrets. What the format itself fixes (keys, states, figures, digests) stays, so that
 * a redacted record is a record still, whatever the secrets are; everything that somebody else gave is cleaned.
 */
export function redactRecord<T>(
  schema: z.ZodType,
  value: T,
  redactor: Redactor,
  mode: RedactionMode = "data",
): T {
  return ruleOf(schema)(value, redactor, mode) as T;
}

const rules = new WeakMap<z.core.$ZodType, Rule>();

function ruleOf(schema: z.core.$ZodType): Rule {
  const known = rules.get(schema);
  if (known !== undefined) return known;
  const made = makeRule(schema);
  rules.set(schema, made);
  return made;
}

const fixed: Rule = (value) => value;

const freeForm: Rule = (value, redactor, mode) =>
  mode === "settings" && (isPlainObject(value) || Array.isArray(value))
    ? redactor.settings({ value: value as JsonValue })["value"]
    : redactor.json(value as JsonValue);

function makeRule(schema: z.core.$ZodType): Rule {
  const shape = shapeOf(schema);
  if (shape?.kind === "free") return freeForm;
  if (shape?.kind === "map") return mapRule(ruleOf(shape.value));
  if (shape?.kind === "normalized") return ruleOf(shape.value);
  if (schema instanceof z.ZodObject) return objectRule([schema]);
  if (schema instanceof z.ZodArray) return arrayRule(schema.element);
  if (schema instanceof z.ZodUnion) return unionRule(schema.options);
  if (schema instanceof z.ZodString) return isFree(schema) ? text : fixed;
  if (schema instanceof z.ZodPipe)
    return ruleOf(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  if (isWrapper(schema)) return ruleOf(schema.unwrap());
  return fixed;
}

function isWrapper(schema: z.core.$ZodType) {
  return (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly
  );
}

const text: Rule = (value, redactor) => (typeof value === "string" ? redactor.text(value) : value);

/** Text of a form of its own, such as a digest, is none of anybody's words. */
function isFree(schema: z.ZodString): boolean {
  return schema.safeParse("<redacted>").success;
}

/** Fields by either spelling. Keys that no schema knows are somebody else's. */
function objectRule(schemas: readonly z.ZodObject[]): Rule {
  const byKey = new Map<string, Rule>();
  for (const schema of schemas) {
    for (const [name, field] of Object.entries(schema.shape)) {
      byKey.set(name, ruleOf(field));
      byKey.set(wireNameOf(name, field), ruleOf(field));
    }
  }
  return (value, redactor, mode) => {
    if (!isPlainObject(value)) return value;
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (item === undefined) continue;
      setOwn(result, key, (byKey.get(key) ?? freeForm)(item, redactor, mode));
    }
    return result;
  };
}

function arrayRule(element: z.core.$ZodType): Rule {
  const rule = ruleOf(element);
  // A list of words may be a command line, where one word names the next.
  if (rule === text) return freeForm;
  return (value, redactor, mode) =>
    Array.isArray(value) ? value.map((item) => rule(item, redactor, mode)) : value;
}

/** The keys are somebody's names; two that become the same are both kept, as in any other data. */
function mapRule(rule: Rule): Rule {
  return (value, redactor, mode) => {
    if (!isPlainObject(value)) return value;
    const keys = Object.keys(value);
    const cleanKeys = keys.map((key) => redactor.text(key));
    const names = new FreeNames(keys.filter((key, index) => cleanKeys[index] === key));
    const result: Record<string, unknown> = {};
    for (const [index, key] of keys.entries()) {
      const clean = cleanKeys[index] ?? key;
      const name = clean === key ? key : names.take(clean);
      setOwn(result, name, rule(value[key], redactor, mode));
    }
    return result;
  };
}

function unionRule(options: readonly z.core.$ZodType[]): Rule {
  if (options.some((option) => shapeOf(option)?.kind === "free")) return freeForm;
  const ofObject = objectRule(options.filter((option) => option instanceof z.ZodObject));
  const ofArray = ruleOf(options.find((option) => option instanceof z.ZodArray) ?? z.unknown());
  return (value, redactor, mode) => {
    if (typeof value === "string") return redactor.text(value);
    return Array.isArray(value) ? ofArray(value, redactor, mode) : ofObject(value, redactor, mode);
  };
}
