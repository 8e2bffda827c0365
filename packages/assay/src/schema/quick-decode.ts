import type { z } from "zod";

import { GeneratedFunction, plainObjectTest } from "../support/generated-function.ts";
import { copyPlain, isPlainObject, setOwn } from "../support/json.ts";
import { definitionOf } from "../support/schema-definition.ts";
import { quickRules, quickTest, type Test } from "./quick-test.ts";
import { shapeOf, wireNameOf } from "./shape.ts";

/** What a quick decoder gives for everything that it is not sure about. */
export const unsure: unique symbol = Symbol("unsure");

type Decode = (value: unknown) => unknown;

/**
 * Reads the wire form of a record that has nothing wrong, in one step and several times as fast as renaming and then
 * parsing. Of anything else it is unsure: the long way says what is wrong.
 */
export function quickDecode(schema: z.core.$ZodType, wire: unknown): unknown {
  return fromWire.of(schema)(wire);
}

/** Parses the TypeScript form of a record that has nothing wrong, into a copy all the way down. */
export function quickCopy(schema: z.core.$ZodType, value: unknown): unknown {
  return fromValue.of(schema)(value);
}

const giveUp: Decode = () => unsure;

/** Decoders for one spelling of the keys, each made once per schema. */
class Decoders {
  readonly #known = new WeakMap<z.core.$ZodType, Decode>();
  readonly keyOf: (name: string, field: z.core.$ZodType) => string;
  /** Of data that are free in their form. */
  readonly take: (value: unknown) => unknown;

  constructor(
    keyOf: (name: string, field: z.core.$ZodType) => string,
    take: (value: unknown) => unknown,
  ) {
    this.keyOf = keyOf;
    this.take = take;
  }

  of(schema: z.core.$ZodType): Decode {
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    const made = new DecoderSource(this).decoder(schema) ?? giveUp;
    this.#known.set(schema, made);
    return made;
  }
}

/** Writes one decoder. A variable holds each part that has been read; what is not right ends it at once. */
class DecoderSource {
  readonly #decoders: Decoders;
  readonly #code = new GeneratedFunction();
  readonly #unsure = this.#code.bind(unsure);

  constructor(decoders: Decoders) {
    this.#decoders = decoders;
  }

  decoder(schema: z.core.$ZodType): Decode | null {
    const value = this.#read(schema, "given");
    this.#code.line(`return ${value};`);
    return this.#code.made("given");
  }

  /** Reads what is in a variable; gives the variable of the result. */
  #read(schema: z.core.$ZodType, from: string): string {
    const shape = shapeOf(schema);
    if (shape?.kind === "map") return this.#readWith(mapDecoder(this.#of(shape.value)), from);
    if (shape?.kind === "normalized")
      return this.#read(shape.value, this.#let(`${this.#code.bind(shape.normalize)}(${from})`));
    const def = definitionOf(schema);
    switch (def.type) {
      case "object":
        return this.#checked(schema, this.#readObject(def, from));
      case "array":
        return this.#checked(schema, this.#readWith(arrayDecoder(this.#of(def.element)), from));
      case "union": {
        const options = def.options.map((option) => this.#of(option));
        return this.#checked(schema, this.#readWith(unionDecoder(options), from));
      }
      case "nullable":
        return this.#unless(`${from} === null`, "null", () => this.#read(def.innerType, from));
      case "default":
      case "optional":
        this.#unsureIf(`${from} === undefined`);
        return this.#read(def.innerType, from);
      default:
        return this.#readLeaf(schema, from);
    }
  }

  #readLeaf(schema: z.core.$ZodType, from: string): string {
    const isRight = quickTest(schema);
    this.#unsureIf(isRight === null ? "true" : `!${this.#code.bind(isRight)}(${from})`);
    return this.#let(`${this.#code.bind(this.#decoders.take)}(${from})`);
  }

  #readObject({ catchall, shape }: z.core.$ZodObjectDef, from: string): string {
    const isClosed = catchall !== undefined && definitionOf(catchall).type === "never";
    this.#unsureIf(isClosed ? `!${plainObjectTest(this.#code, from)}` : "true");
    const left = this.#code.variable();
    this.#code.line(`let ${left} = 0; for (const _key in ${from}) ${left} += 1;`);
    const fields = Object.entries(shape).map(([name, field]) => ({
      key: JSON.stringify(name),
      value: this.#readField(JSON.stringify(this.#decoders.keyOf(name, field)), field, {
        from,
        left,
      }),
      isOptional: definitionOf(field).type === "optional",
    }));
    // What is left is a key that nobody knows.
    this.#unsureIf(`${left} !== 0`);
    const firstOptional = fields.findIndex(({ isOptional }) => isOptional);
    const end = firstOptional === -1 ? fields.length : firstOptional;
    // As a literal: an object that is grown key by key takes several times as long.
    const members = fields.slice(0, end).map(({ key, value }) => `${key}: ${value}`);
    const result = this.#let(`{ ${members.join(", ")} }`);
    for (const { key, value } of fields.slice(end))
      this.#code.line(`if (${value} !== undefined) ${result}[${key}] = ${value};`);
    return result;
  }

  #readField(
    key: string,
    field: z.core.$ZodType,
    { from, left }: { readonly from: string; readonly left: string },
  ): string {
    const item = this.#let(`${from}[${key}]`);
    this.#code.line(`if (${item} !== undefined || ${key} in ${from}) ${left} -= 1;`);
    return this.#unless(`${item} === undefined`, this.#absent(field), () =>
      this.#read(field, item),
    );
  }

  /** What stands where a field is not given. */
  #absent(field: z.core.$ZodType): string {
    const def = definitionOf(field);
    if (def.type === "optional") return "undefined";
    if (def.type !== "default") return this.#unsure;
    const value = this.#code.bind(def.defaultValue);
    // What can be changed later must not be the same object for all.
    return typeof def.defaultValue === "object" && def.defaultValue !== null
      ? `${this.#code.bind(copyPlain)}(${value})`
      : value;
  }

  /** Keeps the rules that a schema adds to its shape; with a kind of rule that is not known here it gives up. */
  #checked(schema: z.core.$ZodType, value: string): string {
    const rules: readonly Test[] | null = quickRules(schema);
    if (rules === null) this.#unsureIf("true");
    for (const rule of rules ?? []) this.#unsureIf(`!${this.#code.bind(rule)}(${value})`);
    return value;
  }

  #readWith(decode: Decode, from: string): string {
    const value = this.#let(`${this.#code.bind(decode)}(${from})`);
    this.#unsureIf(`${value} === ${this.#unsure}`);
    return value;
  }

  /** A variable that holds `other` where a condition is met, else what is read. */
  #unless(condition: string, other: string, read: () => string): string {
    const value = this.#code.variable();
    this.#code.line(`let ${value}; if (${condition}) {`);
    if (other === this.#unsure) this.#code.line(`return ${other};`);
    this.#code.line(`${value} = ${other}; } else {`);
    this.#code.line(`${value} = ${read()}; }`);
    return value;
  }

  #unsureIf(condition: string): void {
    this.#code.line(`if (${condition}) return ${this.#unsure};`);
  }

  #let(expression: string): string {
    const value = this.#code.variable();
    this.#code.line(`const ${value} = ${expression};`);
    return value;
  }

  #of(schema: z.core.$ZodType): Decode {
    return this.#decoders.of(schema);
  }
}

const fromWire = new Decoders(wireNameOf, (value) => value);
const fromValue = new Decoders((name) => name, copyPlain);

function arrayDecoder(decode: Decode): Decode {
  return (given) => {
    if (!Array.isArray(given)) return unsure;
    const result: unknown[] = [];
    for (const item of given) {
      const value = decode(item);
      if (value === unsure) return unsure;
      result.push(value);
    }
    return result;
  };
}

function mapDecoder(decode: Decode): Decode {
  return (given) => {
    if (!isPlainObject(given)) return unsure;
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(given)) {
      const value = decode(given[key]);
      if (value === unsure) return unsure;
      setOwn(result, key, value);
    }
    return result;
  };
}

function unionDecoder(options: readonly Decode[]): Decode {
  return (given) => {
    for (const decode of options) {
      const value = decode(given);
      if (value !== unsure) return value;
    }
    return unsure;
  };
}
