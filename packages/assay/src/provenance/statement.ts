import { parseValue, toWire } from "../schema/codec.ts";
import {
  type ProvenancePredicate,
  provenancePredicateType,
  provenanceStatementSchema,
  statementType,
} from "../schema/provenance.ts";
import type { JsonObject } from "../support/json.ts";

export interface StatementFacts {
  /** The data files of the bundle with their SHA-256 in hex. */
  readonly subjects: readonly { readonly name: string; readonly sha256: string }[];
  readonly predicate: ProvenancePredicate;
}

/** The content of provenance.json, in its wire form: an in-toto Statement v1 about the data files. */
export function buildStatement({ subjects, predicate }: StatementFacts): JsonObject {
  const statement = {
    _type: statementType,
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: provenancePredicateType,
    predicate,
  };
  const checked = parseValue(provenanceStatementSchema, statement, { source: "provenance" });
  return toWire(provenanceStatementSchema, checked) as JsonObject;
}
