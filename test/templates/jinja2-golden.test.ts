import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { AssayError } from "../../packages/assay/src/errors/assay-error.ts";
import type { JsonObject, JsonValue } from "../../packages/assay/src/support/json.ts";
import { compileTemplate } from "../../packages/assay/src/templates/template.ts";

interface GoldenCase {
  readonly template: JsonValue;
  readonly output?: JsonValue;
  readonly error?: string;
}

const golden = JSON.parse(readFileSync(new URL("jinja2-golden.json", import.meta.url), "utf8")) as {
  readonly context: JsonObject;
  readonly cases: readonly GoldenCase[];
};

type Outcome = { readonly output: JsonValue } | { readonly error: string };

function outcomeOf(template: JsonValue): Outcome {
  try {
    const compiled = compileTemplate(template, { name: "golden" });
    return { output: compiled.render(golden.context) };
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
    return { error: thrown.code };
  }
}

const undefinedValue = { error: "ASSAY_TEMPLATE_UNDEFINED" };
const invalid = { error: "ASSAY_TEMPLATE_INVALID" };

/** Where Assay gives something else than Jinja2, and what. docs/metrics.md lists the kinds. */
const differences: ReadonlyMap<JsonValue, Outcome> = new Map<JsonValue, Outcome>([
  // White-space control around a single expression.
  ["  {{- item.reference.answer -}}  ", { output: "5" }],
  // A missing value is refused wherever it is read, an inline `if` without `else` included.
  ["t {{ 'x' if false }}", undefinedValue],
  ["{{ item.reference.missing is none }}", undefinedValue],
  ["{{ [item.reference.missing, 1] | length }}", undefinedValue],
  ["{% set x = item.reference.missing %}ok", undefinedValue],
  ["{{ (item.reference.missing) is defined }}", undefinedValue],
  // Booleans and null inside strings that the template itself puts together.
  ["{{ true ~ '' }}", { output: "true" }],
  ["{{ item.reference.is_exact | string }}", { output: "true" }],
  // Filters and methods that the engine lacks, or that take fewer arguments.
  ["{{ 'x' | int }}", invalid],
  ["{{ 'x' | int(7) }}", invalid],
  ["{{ '%s-%d' | format('a', 2) }}", invalid],
  ["{{ 'a b c' | wordcount }}", invalid],
  ["{{ 'abcdefgh' | truncate(5) }}", invalid],
  ["{{ '{}-{}'.format(1, 2) }}", invalid],
  ["{{ item.inputs.get('zz', 3) }}", invalid],
  ["{{ 'x' | center(5) }}", invalid],
  ["{{ missing | default(default_value='b') }}", invalid],
  ["{{ item.reference.empty | default('b', boolean=true) }}", invalid],
  ["{{ 3.14159 | round(precision=2) }}", invalid],
  ["{{ item.reference.rows | sum(attribute='v') }}", invalid],
  ["{{ 'a b c'.split(maxsplit=1) }}", invalid],
  ["{{ 'x' | urlencode }}", invalid],
  // Halves are rounded away from zero.
  ["{{ 2.5 | round }}", { output: 3 }],
  // Objects are walked in the order of their keys.
  ["{% for k in item.inputs %}{{ k }} {% endfor %}", { output: "big instruction k-y n ratio " }],
  // `e` escapes `/` as well; `tojson` writes no spaces.
  ["{{ item.reference.html | e }}", { output: "&lt;b&gt;&amp;&lt;&#x2f;b&gt;" }],
  ["{{ item.reference.rows | tojson | length }}", { output: 33 }],
  // Positions are written with brackets.
  ["{{ item.reference.words.0 }}", invalid],
]);

/** The same failure under the two names; Jinja2 tells some apart that Assay does not. */
const errorCodes: Readonly<Record<string, string>> = {
  undefined: undefinedValue.error,
  SecurityError: undefinedValue.error,
  invalid: invalid.error,
  JSONDecodeError: invalid.error,
  TypeError: invalid.error,
};

function expectedOf({ template, output, error }: GoldenCase): Outcome {
  // Jinja2 finds out at rendering that a function does not exist, Assay when it compiles.
  if (template === "{{ nofunction(1) }}") return invalid;
  return error === undefined
    ? { output: output as JsonValue }
    : { error: errorCodes[error] ?? `no code for ${error}` };
}

describe("templates give what Jinja2 3.1.6 gives", () => {
  const same = golden.cases.filter(({ template }) => !differences.has(template));

  it.each(same)("$template", (golden) => {
    expect(outcomeOf(golden.template)).toStrictEqual(expectedOf(golden));
  });
});

describe("where templates differ from Jinja2, they differ as documented", () => {
  it.each([...differences])("%s", (template, outcome) => {
    const jinja = golden.cases.find((golden) => golden.template === template);

    expect(jinja).toBeDefined();
    expect(expectedOf(jinja as GoldenCase)).not.toStrictEqual(outcome);
    expect(outcomeOf(template)).toStrictEqual(outcome);
  });
});
