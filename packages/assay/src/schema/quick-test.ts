import { z } from "zod";

/** Whether a value is right. */
export type Test = (value: unknown) => boolean;

/**
 * Whether a value without parts is what a schema asks for, much faster than zod's own way. Null for a schema, or a rule
 * of it, that is not known here.
 */
export function quickTest(schema: z.ZodType): Test | null {
  const kind = kindTest(schema);
  const rules = quickRules(schema);
  if (kind === null || rules === null) return null;
  const [first, ...others] = rules;
  if (first === undefined) return kind;
  if (others.length === 0) return (value) => kind(value) && first(value);
  return (value) => kind(value) && rules.every((rule) => rule(value));
}

function kindTest(schema: z.ZodType): Test | null {
  if (schema instanceof z.ZodString) return (value) => typeof value === "string";
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === "boolean";
  if (schema instanceof z.ZodNull) return (value) => value === null;
  if (schema instanceof z.ZodEnum) return oneOf(schema.options);
  if (schema instanceof z.ZodLiteral) return oneOf([...schema.values]);
  if (schema instanceof z.ZodCustom) return customTest(schema.def);
  if (schema instanceof z.ZodNumberFormat) {
    const isInteger = "format" in schema.def && schema.def.format === "safeint";
    return isInteger ? Number.isSafeInteger : null;
  }
  return schema instanceof z.ZodNumber ? Number.isFinite : null;
}

function oneOf(values: readonly unknown[]): Test {
  const known = new Set(values);
  return (value) => known.has(value);
}

function customTest(def: object): Test | null {
  if (!("fn" in def) || typeof def.fn !== "function") return null;
  const test = def.fn as (value: unknown) => unknown;
  return (value) => Boolean(test(value));
}

/** The rules that a schema adds to its kind; null when one of them is not known here. */
export function quickRules({ def: { checks = [] } }: z.ZodType): readonly Test[] | null {
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
