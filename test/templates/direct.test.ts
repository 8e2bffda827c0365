import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { AssayError } from "../../packages/assay/src/errors/assay-error.ts";
import { formatRow, type JsonObject, sortKeys } from "../../packages/assay/src/support/json.ts";
import { directTemplate } from "../../packages/assay/src/templates/direct.ts";
import { engineTemplate } from "../../packages/assay/src/templates/engine-template.ts";
import { type Piece, scan } from "../../packages/assay/src/templates/scan.ts";

// Few keys, so that paths often lead somewhere; names of the prototype, so that they never do by accident.
const key = fc.constantFrom("a", "b", "c d", "length", "constructor", "__proto__", "toString");
const leaf = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.boolean(),
  fc.constant(null),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
);
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3 }),
  ),
}));
const step = fc.oneof(
  fc.constantFrom("a", "b", "length", "constructor", "__proto__").map((name) => `.${name}`),
  key.map((name) => `[${JSON.stringify(name)}]`),
  fc.integer({ min: -3, max: 3 }).map((index) => `[${index}]`),
);
const path = fc
  .tuple(fc.constantFrom("a", "b", "length", "__proto__"), fc.array(step, { maxLength: 3 }))
  .map(([head, steps]) => head + steps.join(""));
const context = fc.dictionary(key, json, {
  maxKeys: 4,
  noNullPrototype: true,
}) as fc.Arbitrary<JsonObject>;
const text = fc.constantFrom("", " ", "x: ", "\n", "{ ", "é☃");

type Make = (source: string, pieces: readonly Piece[]) => ReturnType<typeof directTemplate>;
const direct: Make = (_source, pieces) => directTemplate(pieces, "t");
const engine: Make = (source, pieces) => engineTemplate(source, pieces, "t");

/** The engine sorts the keys of objects, so both sides are compared with sorted keys. */
function outcome(make: Make, source: string, values: JsonObject) {
  try {
    const template = make(source, scan(source) ?? []);
    if (template === null) throw new Error(`${source} is not direct`);
    return {
      native: formatRow(sortKeys(template.render(values))),
      text: template.renderText(values),
    };
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
    return { code: thrown.code, message: thrown.message, data: thrown.data };
  }
}

describe("a template of dotted paths, resolved without the engine", () => {
  it("gives the same value, text or error as the engine for a single path", () => {
    fc.assert(
      fc.property(path, context, (path, values) => {
        const sorted = sortKeys(values) as JsonObject;
        const source = `{{ ${path} }}`;

        expect(outcome(direct, source, sorted)).toStrictEqual(outcome(engine, source, sorted));
      }),
      { numRuns: 500 },
    );
  });

  it("gives the same text or error as the engine for text with paths in it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, path), { minLength: 2, maxLength: 3 }),
        context,
        (parts, values) => {
          const sorted = sortKeys(values) as JsonObject;
          const source = parts.map(([before, path]) => `${before}{{ ${path} }}`).join("");

          expect(outcome(direct, source, sorted)).toStrictEqual(outcome(engine, source, sorted));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("keeps the order of keys, which the engine does not", () => {
    const template = directTemplate(scan("v: {{ a }}") ?? [], "t");

    expect(template?.render({ a: { z: 1, b: 2 } })).toBe("v: {'z': 1, 'b': 2}");
  });

  it.each([
    "{{ a | upper }}",
    "{{- a }}",
    "{{ a }}{# c #}",
    "{{ a + 1 }}",
    "{{ a() }}",
    "{{ true }}",
    "{{ a['\\x61'] }}",
    "{% if a %}{% endif %}",
  ])("leaves %s to the engine", (source) => {
    expect(directTemplate(scan(source) ?? [], "t")).toBeNull();
  });
});
