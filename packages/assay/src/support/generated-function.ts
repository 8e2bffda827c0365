import { isPlainObject } from "./json.ts";

// As it was when Assay was loaded: an agent in this process may put another in its place.
const FunctionOfText = Function;

/**
 * The text of a function, with the values that it refers to. One function that serves many kinds of objects looks up
 * every key each time; one that was made for a single kind has its keys compiled in. Text of others never becomes code:
 * what is not a name of a schema is bound as a value.
 */
export class GeneratedFunction {
  readonly #names: string[] = [];
  readonly #values: unknown[] = [];
  readonly #lines: string[] = [];
  #variables = 0;

  /** The name of a value. */
  bind(value: unknown): string {
    const known = this.#values.indexOf(value);
    if (known !== -1) return `bound${known}`;
    this.#names.push(`bound${this.#values.length}`);
    return `bound${this.#values.push(value) - 1}`;
  }

  /** A name that nothing else has. */
  variable(): string {
    this.#variables += 1;
    return `v${this.#variables}`;
  }

  line(text: string): void {
    this.#lines.push(text);
  }

  /** The function of these parameters; null where the engine makes none of text (`--disallow-code-generation-from-strings`). */
  made<T>(parameters: string): T | null {
    const body = `"use strict"; return (${parameters}) => {\n${this.#lines.join("\n")}\n};`;
    try {
      return FunctionOfText(...this.#names, body)(...this.#values) as T;
    } catch (thrown) {
      if (thrown instanceof EvalError) return null;
      throw thrown;
    }
  }
}

const { getPrototypeOf } = Object;
const objectPrototype = Object.prototype;

/** The text of a test whether a variable holds a plain object. In place: the engine knows then which objects come there. */
export function plainObjectTest(code: GeneratedFunction, value: string): string {
  const prototype = `${code.bind(getPrototypeOf)}(${value})`;
  const isUsual = `typeof ${value} === "object" && ${value} !== null && ${prototype} === ${code.bind(objectPrototype)}`;
  return `(${isUsual} || ${code.bind(isPlainObject)}(${value}))`;
}
