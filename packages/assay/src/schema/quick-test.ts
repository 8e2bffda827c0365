import type { z } from "zod";

import { definitionOf } from "../support/schema-definition.ts";

/** Whether a value is right. */
export type Test = (value: unknown) => boolean;

/**
 * Whether a value without parts is what a schema asks for, much faster than zod's own way. Null for a schema, or a rule
 * of it, that is not known here.
 */
export function quickTest(schema: z.core.$ZodType): Test | null {
  const kind = kindTest(schema);
  const rules = quickRules(schema);
  if (kind === null || rules === null) return null;
  const [first, ...others] = rules;
  if (first === undefined) return kind;
  if (others.length === 0) return (value) => kind(value) && first(value);
  return (value) => kind(value) && rules.every((rule) => rule(value));
}

function kindTest(schema: z.core.$ZodType): Test | null {
  const def = definitionOf(schema);
  switch (def.type) {
    case "string":
      return "format" in def ? null : (value) => typeof value === "string";
    case "boolean":
      return (value) => typeof value === "boolean";
    case "unknown":
      return () => true;
    case "null":
      return (value) => value === null;
    case "enum":
    case "literal":
      return oneOf(schema._zod.values);
    case "custom":
      return customTest(def);
    case "number":
      if (!("format" in def)) return Number.isFinite;
      return def.format === "safeint" ? Number.isSafeInteger : null;
    default:
      return null;
  }
}

function oneOf(values: ReadonlySet<unknown> | undefined): Test | null {
  return values === undefined ? null : (value) => values.has(value);
}

function customTest(def: object): Test | null {
  if (!("fn" in def) || typeof def.fn !== "function") return null;
  const test = def.fn as (value: unknown) => unknown;
  return (value) => Boolean(test(value));
}

/** The rules that a schema adds to its kind; null when one of them is not known here. */
export function quickRules({
  _zod: {
    def: { checks = [] },
  },
}: z.core.$ZodType): readonly Test[] | null {
  const rules: Test[] = [];
  for (const { _zod } of checks) {
    const rule = ruleTest(_zod.def);
    if (rule === null) return null;
    rules.push(rule);
  }
  return rules;
}

function ruleTest(def: z.core.$ZodCheckDef): Test | null {
  if (def.check === "custom") return customTest(def);
  if (def.check === "min_length" && "minimum" in def) {
    const minimum = Number(def.minimum);
    return (value) => (value as { readonly length: number }).length >= minimum;
  }
  if (def.check === "greater_than" && "value" in def && "inclusive" in def) {
    const { inclusive } = def;
    const bound = Number(def.value);
    return (value) => (inclusive === true ? Number(value) >= bound : Number(value) > bound);
  }
  if (def.check === "string_format" && "pattern" in def && def.pattern instanceof RegExp) {
    const { pattern } = def;
    return pattern.global || pattern.sticky ? null : (value) => pattern.test(value as string);
  }
  return null;
}
