import type { z } from "zod";

import { describeKind, getOwn, isPlainObject, setOwn } from "../support/json.ts";

export type Fields = Readonly<Record<string, z.ZodType>>;
export type FieldValues = Record<string, unknown>;

export type Checked<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly error: { readonly issues: z.core.$ZodIssue[] } };

/**
 * Checks values like `z.strictObject(fields)`, without loading zod: whoever defines no field of his own need not pay for
 * it.
 */
export function strictFields(fields: Fields): { safeParse(value: unknown): Checked<FieldValues> } {
  return {
    safeParse(value) {
      if (!isPlainObject(value)) return failure([notAnObject(value)]);
      const data: FieldValues = {};
      const issues: z.core.$ZodIssue[] = [];
      for (const [name, schema] of Object.entries(fields)) {
        const parsed = schema.safeParse(getOwn(value, name));
        if (!parsed.success) issues.push(...parsed.error.issues.map((one) => below(name, one)));
        else if (parsed.data !== undefined || Object.hasOwn(value, name))
          setOwn(data, name, parsed.data);
      }
      const keys = Object.keys(value).filter((key) => !Object.hasOwn(fields, key));
      if (keys.length > 0) issues.push(unknownKeys(keys));
      return issues.length > 0 ? failure(issues) : { success: true, data };
    },
  };
}

function failure(issues: z.core.$ZodIssue[]): Checked<never> {
  return { success: false, error: { issues } };
}

function below(name: string, issue: z.core.$ZodIssue): z.core.$ZodIssue {
  return { ...issue, path: [name, ...issue.path] };
}

function notAnObject(value: unknown): z.core.$ZodIssue {
  const message = `expected an object, not ${describeKind(value)}`;
  return { code: "invalid_type", expected: "object", path: [], message };
}

function unknownKeys(keys: string[]): z.core.$ZodIssue {
  return { code: "unrecognized_keys", keys, path: [], message: `unknown: ${keys.join(", ")}` };
}
