import type { z } from "zod";

import { innerSchema } from "./schema-definition.ts";

export const optionRoles = ["shapes", "operational", "credential"] as const;
/** `shapes`: changes results, recorded and digested. `operational`: recorded, not digested. `credential`: recorded by name only. */
export type OptionRole = (typeof optionRoles)[number];

export const optionOrigins = ["default", "suite", "environment", "flag", "call", "runner"] as const;
/** Where the value of an option came from. */
export type OptionOrigin = (typeof optionOrigins)[number];

declare const optionBrand: unique symbol;

/** An option of a runner with the role that says how it is recorded. Made only by `shapes`, `operational`, `credential`. */
export interface Option<S extends z.ZodType = z.ZodType, R extends OptionRole = OptionRole> {
  readonly [optionBrand]: true;
  readonly schema: S;
  readonly role: R;
  /** Why an operational option cannot change results. */
  readonly why: string | null;
}

/** Options by camelCase name. A bare schema does not fit: every option declares its role. */
export type OptionTable = Readonly<Record<string, Option>>;

type SchemasOf<T extends OptionTable> = { [K in keyof T]: T[K]["schema"] };

/** What users give: options with a default may be absent. */
export type OptionsInput<T extends OptionTable> = z.input<z.ZodObject<SchemasOf<T>>>;
/** What takes effect: every option, defaults filled in. */
export type OptionsOutput<T extends OptionTable> = Readonly<z.output<z.ZodObject<SchemasOf<T>>>>;

function option<S extends z.ZodType, R extends OptionRole>(
  schema: S,
  role: R,
  why: string | null,
): Option<S, R> {
  return { schema, role, why } as Option<S, R>;
}

/** An option that shapes results. */
export function shapes<S extends z.ZodType>(schema: S): Option<S, "shapes"> {
  return option(schema, "shapes", null);
}

/** An option that cannot change results: concurrency, where a binary lies. `why` says why not. */
export function operational<S extends z.ZodType>(schema: S, why: string): Option<S, "operational"> {
  return option(schema, "operational", why);
}

/** An option that holds a credential: its value is never stored, only whether it was given. */
export function credential<S extends z.ZodType>(schema: S): Option<S, "credential"> {
  return option(schema, "credential", null);
}

/** The schemas of a table. */
export function schemasOf(table: OptionTable): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(Object.entries(table).map(([name, { schema }]) => [name, schema]));
}

// By definition, not by schema: `describe` makes a new schema over the same definition.
const functionSchemas = new WeakSet<z.core.$ZodTypeDef>();

export function markedAsFunction<S extends z.ZodType>(schema: S): S {
  functionSchemas.add(schema._zod.def);
  return schema;
}

export function isFunctionSchema(schema: z.core.$ZodType): boolean {
  return functionSchemas.has(innerSchema(schema)._zod.def);
}

/** How a function is recorded. */
export function functionIdentity(
  value: { readonly name: string; readonly module?: string },
  suiteName: string,
): string {
  const owner = value.module ?? suiteName;
  return owner === "" ? value.name : `${owner}#${value.name}`;
}
