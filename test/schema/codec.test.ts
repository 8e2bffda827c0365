import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { AssayError } from "../../packages/assay/src/errors/assay-error.ts";
import { fromWire, parseValue, toWire } from "../../packages/assay/src/schema/codec.ts";
import { formatPath } from "../../packages/assay/src/schema/decode-problems.ts";
import {
  dataMap,
  jsonObject,
  jsonValue,
  name,
  normalized,
  stringMap,
} from "../../packages/assay/src/schema/free-form.ts";
import { suiteDefinitionSchema, suiteSpecSchema } from "../../packages/assay/src/schema/suite.ts";
import { trialRecordSchema } from "../../packages/assay/src/schema/trial.ts";
import { formatDocument } from "../../packages/assay/src/support/json.ts";

const source = { source: "here" };

/** One of everything that a persisted schema can hold. */
const everything = z.strictObject({
  plainText: z.string(),
  withDefault: z.int().default(3),
  mayBeAbsent: z.boolean().optional(),
  mayBeNull: z.string().nullable().default(null),
  listOfObjects: z.array(z.strictObject({ innerName: z.string() })).default([]),
  freeForm: jsonObject().default({}),
  anyJson: jsonValue().nullable().default(null),
  textByName: stringMap().default({}),
  objectByName: dataMap(z.strictObject({ innerCount: z.int() })).default({}),
  numberByName: dataMap(z.number()).default({}),
  either: z
    .union([
      z.string(),
      z.strictObject({ longForm: z.int() }),
      z.array(z.strictObject({ itemName: z.string() })),
    ])
    .nullable()
    .default(null),
  byKind: z
    .discriminatedUnion("theKind", [
      z.strictObject({ theKind: z.literal("one"), firstPart: z.int() }),
      z.strictObject({ theKind: z.literal("two"), firstPart: z.string() }),
    ])
    .nullable()
    .default(null),
  shortOrLong: normalized(
    (value) => (typeof value === "string" ? { text: value } : value),
    z.strictObject({ text: z.string(), otherPart: z.int().default(0) }).nullable(),
  ).default(null),
  openObject: z.looseObject({ knownKey: z.int() }).optional(),
});

// Keys that JavaScript or the codec might treat as something else.
const key = () =>
  fc.oneof(
    fc.constantFrom(
      "__proto__",
      "constructor",
      "toString",
      "innerName",
      "inner_name",
      "a_b",
      "aB",
      "",
      "0",
    ),
    fc.string({ unit: "grapheme", maxLength: 8 }),
  );
const json = () =>
  fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 3 }),
      mapOf(tie("value")),
    ),
  })).value;
function mapOf(value: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .uniqueArray(fc.tuple(key(), value), { selector: ([name]) => name, maxLength: 4 })
    .map((entries) => Object.fromEntries(entries));
}

const value = fc.record({
  plainText: fc.string(),
  withDefault: fc.integer(),
  mayBeAbsent: fc.boolean(),
  mayBeNull: fc.option(fc.string()),
  listOfObjects: fc.array(fc.record({ innerName: fc.string() }), { maxLength: 3 }),
  freeForm: mapOf(json()),
  anyJson: json(),
  textByName: mapOf(fc.string()),
  objectByName: mapOf(fc.record({ innerCount: fc.integer() })),
  numberByName: mapOf(fc.integer()),
  either: fc.oneof(
    fc.constant(null),
    fc.string(),
    fc.record({ longForm: fc.integer() }),
    fc.array(fc.record({ itemName: fc.string() }), { maxLength: 3 }),
  ),
  byKind: fc.oneof(
    fc.constant(null),
    fc.record({ theKind: fc.constant("one"), firstPart: fc.integer() }),
    fc.record({ theKind: fc.constant("two"), firstPart: fc.string() }),
  ),
  shortOrLong: fc.option(fc.record({ text: fc.string(), otherPart: fc.integer() })),
  openObject: fc.record({ knownKey: fc.integer(), anyOther_key: json() }),
});

describe("toWire and fromWire", () => {
  it("are each other's inverse, whatever the keys of free-form data are", () => {
    void fc.assert(
      fc.property(value, (given) => {
        const wire = toWire(everything, given);

        const read = fromWire(everything, JSON.parse(JSON.stringify(wire)), source);

        expect(formatDocument(read)).toBe(formatDocument(given));
      }),
    );
  });

  it("write snake_case for every name of a schema and for no other key", () => {
    const wire = toWire(everything, {
      plainText: "a",
      listOfObjects: [{ innerName: "b" }],
      freeForm: { keptAsIs: { innerName: 1 } },
      textByName: { keptAsIs: "c" },
      objectByName: { keptAsIs: { innerCount: 1 } },
      either: { longForm: 1 },
      byKind: { theKind: "two", firstPart: "d" },
      shortOrLong: { text: "e", otherPart: 1 },
      openObject: { knownKey: 1, keptAsIs: 2 },
    });

    expect(wire).toStrictEqual({
      plain_text: "a",
      list_of_objects: [{ inner_name: "b" }],
      free_form: { keptAsIs: { innerName: 1 } },
      text_by_name: { keptAsIs: "c" },
      object_by_name: { keptAsIs: { inner_count: 1 } },
      either: { long_form: 1 },
      by_kind: { the_kind: "two", first_part: "d" },
      short_or_long: { text: "e", other_part: 1 },
      open_object: { known_key: 1, keptAsIs: 2 },
    });
  });

  it("leave out keys whose value is undefined, since JSON has no such value", () => {
    expect(toWire(everything, { plainText: "a", mayBeAbsent: undefined })).toStrictEqual({
      plain_text: "a",
    });
  });

  it("change neither the value nor the wire form they are given", () => {
    const given = Object.freeze({
      plainText: "a",
      listOfObjects: Object.freeze([Object.freeze({ innerName: "b" })]),
    });
    const wire = Object.freeze({
      plain_text: "a",
      list_of_objects: Object.freeze([Object.freeze({ inner_name: "b" })]),
    });

    expect(toWire(everything, given)).toStrictEqual(wire);
    expect(fromWire(everything, wire, source).listOfObjects).toStrictEqual(given.listOfObjects);
  });

  it("accept the short form of a value that has one, on the wire and in TypeScript", () => {
    expect(
      fromWire(everything, { plain_text: "", short_or_long: "x" }, source).shortOrLong,
    ).toStrictEqual({ text: "x", otherPart: 0 });
    expect(
      parseValue(everything, { plainText: "", shortOrLong: "x" }, source).shortOrLong,
    ).toStrictEqual({ text: "x", otherPart: 0 });
  });
});

const camelOnWire: readonly (readonly [string, z.ZodType, unknown, string])[] = [
  [
    "at the top",
    trialRecordSchema,
    { id: "a", taskId: "b", status: "failed" },
    'unknown key "taskId" (did you mean "task_id"?)',
  ],
  [
    "below",
    trialRecordSchema,
    { id: "a", task_id: "b", status: "partial", output: { outputText: "5" } },
    'unknown key "output.outputText" (did you mean "output_text"?)',
  ],
  [
    "in a list",
    everything,
    { plain_text: "", list_of_objects: [{ inner_name: "" }, { innerName: "" }] },
    'unknown key "list_of_objects[1].innerName" (did you mean "inner_name"?)',
  ],
  [
    "in a map",
    everything,
    { plain_text: "", object_by_name: { "a b": { innerCount: 1 } } },
    'unknown key "object_by_name["a b"].innerCount" (did you mean "inner_count"?)',
  ],
  [
    "in a union",
    everything,
    { plain_text: "", either: { longForm: 1 } },
    'unknown key "either.longForm" (did you mean "long_form"?)',
  ],
  [
    "in a list of a union",
    everything,
    { plain_text: "", either: [{ itemName: "" }] },
    'unknown key "either[0].itemName" (did you mean "item_name"?)',
  ],
  [
    "beside a discriminator",
    everything,
    { plain_text: "", by_kind: { the_kind: "one", firstPart: 1 } },
    'unknown key "by_kind.firstPart" (did you mean "first_part"?)',
  ],
  [
    "in a suite's secret",
    suiteSpecSchema,
    { tasks: "t.jsonl", secrets: [{ name: "A", allowShort: true }] },
    'unknown key "secrets[0].allowShort" (did you mean "allow_short"?)',
  ],
];

const snakeInTypeScript: readonly (readonly [string, z.ZodType, unknown, string])[] = [
  [
    "at the top",
    trialRecordSchema,
    { id: "a", task_id: "b", status: "failed" },
    'unknown key "task_id" (did you mean "taskId"?)',
  ],
  [
    "below",
    trialRecordSchema,
    { id: "a", taskId: "b", status: "partial", output: { output_text: "5" } },
    'unknown key "output.output_text" (did you mean "outputText"?)',
  ],
  [
    "in a list",
    everything,
    { plainText: "", listOfObjects: [{ inner_name: "" }] },
    'unknown key "listOfObjects[0].inner_name" (did you mean "innerName"?)',
  ],
  [
    "in a map",
    everything,
    { plainText: "", objectByName: { x: { inner_count: 1 } } },
    'unknown key "objectByName.x.inner_count" (did you mean "innerCount"?)',
  ],
  [
    "in a union",
    everything,
    { plainText: "", either: { long_form: 1 } },
    'unknown key "either.long_form" (did you mean "longForm"?)',
  ],
  [
    "in a list of a union",
    everything,
    { plainText: "", either: [{ item_name: "" }] },
    'unknown key "either[0].item_name" (did you mean "itemName"?)',
  ],
  [
    "beside a discriminator",
    everything,
    { plainText: "", byKind: { theKind: "one", first_part: 1 } },
    'unknown key "byKind.first_part" (did you mean "firstPart"?)',
  ],
  [
    "in a suite's secret",
    suiteDefinitionSchema,
    { name: "s", secrets: [{ name: "A", allow_short: true }] },
    'unknown key "secrets[0].allow_short" (did you mean "allowShort"?)',
  ],
];

describe("the two spellings", () => {
  it.each(camelOnWire)(
    "camelCase %s of the wire form is refused with a suggestion",
    (_where, schema, wire, message) => {
      expect(() => fromWire(schema, wire, source)).toThrow(
        expect.objectContaining({ code: "ASSAY_CONFIG_UNKNOWN_KEY", message: `here: ${message}` }),
      );
    },
  );

  it.each(snakeInTypeScript)(
    "snake_case %s of the TypeScript form is refused with a suggestion",
    (_where, schema, given, message) => {
      expect(() => parseValue(schema, given, source)).toThrow(
        expect.objectContaining({ code: "ASSAY_CONFIG_UNKNOWN_KEY", message: `here: ${message}` }),
      );
    },
  );

  it("are not mixed up by the property: no camelCase name of a schema is read from the wire", () => {
    void fc.assert(
      fc.property(
        value,
        fc.constantFrom(...Object.keys(everything.shape).filter((field) => /[A-Z]/.test(field))),
        (given, field) => {
          const { [field]: _mapped, ...wire } = toWire(everything, given) as Record<
            string,
            unknown
          >;

          expect(() =>
            fromWire(
              everything,
              { ...wire, [field]: (given as Record<string, unknown>)[field] },
              source,
            ),
          ).toThrow(expect.objectContaining({ code: "ASSAY_CONFIG_UNKNOWN_KEY" }));
        },
      ),
    );
  });
});

describe("messages about a wrong value", () => {
  const wrong: readonly (readonly [unknown, string])[] = [
    [{ plain_text: 5 }, "plain_text: Invalid input: expected string, received number"],
    [{}, "plain_text: Invalid input: expected string, received undefined"],
    [
      { plain_text: "", list_of_objects: [{ inner_name: "a" }, { inner_name: 5 }] },
      "list_of_objects[1].inner_name: Invalid input: expected string, received number",
    ],
    [
      { plain_text: "", object_by_name: { "a b": { inner_count: "x" } } },
      'object_by_name["a b"].inner_count: Invalid input: expected number, received string',
    ],
    [
      { plain_text: "", either: { long_form: "x" } },
      "either.long_form: Invalid input: expected number, received string",
    ],
    [
      { plain_text: "", either: 5 },
      "either: Invalid input: expected string, received number, or Invalid input: expected object, received number, or Invalid input: expected array, received number",
    ],
    [
      { plain_text: "", by_kind: { the_kind: "one", first_part: "x" } },
      "by_kind.first_part: Invalid input: expected number, received string",
    ],
    [{ plain_text: "", free_form: [] }, "free_form: expected an object of JSON data"],
    [
      { plain_text: "", free_form: { a: { b: undefined } } },
      "free_form: expected JSON data, but a.b is undefined",
    ],
    [
      { plain_text: "", text_by_name: { a: 1 } },
      "text_by_name: expected an object with string values",
    ],
    [null, "Invalid input: expected object, received null"],
    ["text", "Invalid input: expected object, received string"],
  ];

  it.each(wrong)("%j is named by its path on the wire", (wire, message) => {
    expect(() => fromWire(everything, wire, source)).toThrow(
      expect.objectContaining({ code: "ASSAY_CONFIG_INVALID", message: `here: ${message}` }),
    );
  });

  it("name the path in camelCase where the value is of the TypeScript form", () => {
    expect(() =>
      parseValue(everything, { plainText: "", listOfObjects: [{ innerName: 5 }] }, source),
    ).toThrow("here: listOfObjects[0].innerName: Invalid input: expected string, received number");
  });

  it("show the first five problems and count the rest", () => {
    const wire = {
      plain_text: "",
      list_of_objects: Array.from({ length: 8 }, () => ({ inner_name: 1 })),
    };

    expect(() => fromWire(everything, wire, source)).toThrow(
      /^here: (list_of_objects\[\d\]\.inner_name: [^;]+(; )?){5} \(and 3 more\)$/,
    );
  });

  it("list the known keys where none is close to the one given", () => {
    expect(() =>
      fromWire(
        z.strictObject({ taskId: z.string(), id: z.string() }),
        { completelyDifferent: 1 },
        source,
      ),
    ).toThrow('here: unknown key "completelyDifferent"; known here: task_id, id');
  });

  it("carry the code and the place that the source gives", () => {
    const place = (path: readonly PropertyKey[]) => `suite.yaml:${path.length}`;
    const read = (wire: unknown) => () =>
      fromWire(everything, wire, { source: "suite.yaml", place, code: "ASSAY_BUNDLE_DAMAGED" });

    expect(read({ plain_text: "", list_of_objects: [{ inner_name: 5 }] })).toThrow(
      expect.objectContaining({
        code: "ASSAY_BUNDLE_DAMAGED",
        message: expect.stringMatching(/^suite\.yaml:3: list_of_objects/),
      }),
    );
    expect(read({ plain_text: "", oops: 1 })).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^suite\.yaml:1: /) }),
    );
  });

  it("are errors of Assay, whatever the value is", () => {
    void fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true }),
        (anything) => {
          let problem: unknown = null;
          try {
            fromWire(everything, anything, source);
          } catch (thrown) {
            problem = thrown;
          }
          expect(problem === null || AssayError.isInstance(problem)).toBe(true);
        },
      ),
    );
  });
});

describe("formatPath", () => {
  it.each([
    [[], ""],
    [["a", "b"], "a.b"],
    [["a", 0, "b"], "a[0].b"],
    [["inputs", "files", "a.txt", 2], 'inputs.files["a.txt"][2]'],
    [[0], "[0]"],
    [["__proto__", ""], '__proto__[""]'],
    [['with "quotes"'], '["with \\"quotes\\""]'],
  ])("%j → %s", (path, text) => {
    expect(formatPath(path)).toBe(text);
  });
});

describe("name", () => {
  it.each([
    ["a", true],
    [" ", true],
    ["", false],
    [5, false],
    [null, false],
  ])("%j: %s", (given, isName) => {
    expect(name().safeParse(given).success).toBe(isName);
  });
});
