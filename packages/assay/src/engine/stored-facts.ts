import { z } from "zod";

import type { BundleReader } from "../bundle/read-bundle.ts";
import { provenancePredicateSchema } from "../schema/provenance.ts";
import type { JsonObject } from "../support/json.ts";

const { runner, parents } = provenancePredicateSchema.shape;

/** The part of a statement that says what made a bundle, whatever version of Assay wrote the rest. */
const storedFactsSchema = z.looseObject({
  predicate: z.looseObject({
    run: z.looseObject({ suiteName: z.string() }),
    runner: z.looseObject({ origins: runner.shape.origins, roles: runner.shape.roles }),
    digests: z.record(z.string(), z.unknown()),
    parents,
  }),
});

export interface StoredFacts extends Readonly<z.output<typeof storedFactsSchema>["predicate"]> {
  readonly digests: JsonObject;
}

const storedParentsSchema = z.looseObject({ predicate: z.looseObject({ parents }) });

/** The runs that a bundle builds on, of a statement that may be of any form else; none for bundles that are not sealed. */
export async function parentFactsOf(reader: BundleReader): Promise<StoredFacts["parents"]> {
  return (await reader.statementAs(storedParentsSchema))?.predicate.parents ?? [];
}

/** Null for bundles that are not sealed. */
export async function storedFactsOf(reader: BundleReader): Promise<StoredFacts | null> {
  const statement = await reader.statementAs(storedFactsSchema);
  return (statement?.predicate as StoredFacts | undefined) ?? null;
}
