import type { ProvenancePredicate } from "../../schema/provenance.ts";
import { digestOf } from "../../support/digest.ts";
import { isPlainObject, type JsonValue, setOwn } from "../../support/json.ts";
import { formatOptionPath } from "../../support/option-path.ts";
import type { MetricFacts } from "../run-state.ts";

type MetricSection = ProvenancePredicate["metrics"][number];

export function metricSection({
  type,
  version,
  digest,
  config,
  judge,
}: MetricFacts): MetricSection {
  const templates: Record<string, string> = {};
  collectTemplates(config, [], templates);
  return {
    type,
    version,
    digest,
    templates:
      Object.keys(templates).length > 0
        ? templates
        : { unknown: "none of its settings is a template" },
    judge: judge ?? { unknown: "it declares no model that judges" },
  };
}

const template = /\{\{|\{%/;

function collectTemplates(
  value: JsonValue,
  path: readonly string[],
  found: Record<string, string>,
): void {
  if (typeof value === "string") {
    if (template.test(value)) setOwn(found, formatOptionPath(path), digestOf("template", value));
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      collectTemplates(item, [...path, String(index)], found);
  } else if (isPlainObject(value)) {
    for (const [key, item] of Object.entries(value))
      collectTemplates(item as JsonValue, [...path, key], found);
  }
}
