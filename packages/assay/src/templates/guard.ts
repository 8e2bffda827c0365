import { isLiteralWord, isOperatorWord, leadingPath, type Path } from "./path.ts";
import type { Token } from "./scan.ts";

/**
 * The engine's strict mode stops at a bare missing value only: it lets one pass through filters, `~`, `==` and `not`.
 * So every path is rewritten to `(p if p is defined else assay_missing_N())`, which fails where, and only where, Jinja2
 * would read the value; what stands before `is defined` or `default` may be missing in its last step, as in Jinja2.
 */
export interface GuardState {
  readonly tokens: readonly Token[];
  at: number;
  readonly found: Findings;
}

/** What was seen in a whole template. */
export interface Findings {
  /** Names that are read, local ones included. */
  readonly names: Set<string>;
  /** Names that the template itself gives a value. */
  readonly locals: Set<string>;
  /** One for each `assay_missing_N`. */
  readonly reads: Read[];
  readonly filters: Set<string>;
  readonly tests: Set<string>;
  readonly functions: Set<string>;
}

export interface Read {
  /** As it is written. */
  readonly text: string;
  /** What is written out of it: null where even its start is computed. */
  readonly path: Path | null;
}

/** A template that is well-formed and still not accepted. */
export class UnsupportedTemplate extends Error {}

/** Nested lookups such as `a[b[c]]` are written out several times; past this the template is refused. */
const maxLength = 100_000;

/** The call that makes the engine fail, naming the read; no such function exists. */
export const missingCall = "assay_missing_";

const openers: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Rewrites tokens up to the closing bracket, or to the end. */
export function guardExpression(state: GuardState, closing?: string): string {
  const output: string[] = [];
  let expectsOperand = true;
  for (let token = peek(state); token !== undefined; token = peek(state)) {
    if (token.kind === "operator" && token.text === closing) break;
    if (expectsOperand && startsOperand(token)) {
      output.push(operand(state));
      expectsOperand = false;
      continue;
    }
    state.at += 1;
    output.push(token.text);
    if (token.text === "|") output.push(filter(state));
    else if (token.text === "is") output.push(test(state));
    expectsOperand = token.text !== "|";
  }
  return output.join(" ");
}

function peek(state: GuardState, ahead = 0): Token | undefined {
  return state.tokens[state.at + ahead];
}

function startsOperand(token: Token): boolean {
  if (token.kind === "operator") return token.text in openers;
  return token.kind !== "name" || !isOperatorWord(token.text);
}

function filter(state: GuardState): string {
  const name = dottedName(state);
  state.found.filters.add(name);
  return name + (peek(state)?.text === "(" ? group(state) : "");
}

function test(state: GuardState): string {
  const isNegated = peek(state)?.text === "not";
  if (isNegated) state.at += 1;
  const name = dottedName(state);
  state.found.tests.add(name);
  return isNegated ? `not ${name}` : name;
}

function dottedName(state: GuardState): string {
  let name = take(state);
  while (peek(state)?.text === ".") name += take(state) + take(state);
  return name;
}

function take(state: GuardState): string {
  const text = peek(state)?.text ?? "";
  state.at += 1;
  return text;
}

function group(state: GuardState): string {
  const open = take(state);
  const inner = guardExpression(state, openers[open]);
  return open + inner + take(state);
}

/** A value with all that is looked up in it and called on it. */
interface Chain {
  readonly state: GuardState;
  readonly start: number;
  /** Checked already, unless it is a bare name. */
  base: string;
  isName: boolean;
  steps: { readonly text: string; readonly end: number }[];
}

function operand(state: GuardState): string {
  const start = state.at;
  const token = peek(state);
  const isName = token?.kind === "name" && !isLiteralWord(token.text);
  const base = token?.kind === "operator" ? group(state) : take(state);
  if (isName && peek(state)?.text === "=") return base;
  if (isName) state.found.names.add(base);
  const chain: Chain = { state, start, base, isName, steps: [] };
  for (let next = peek(state)?.text; next !== undefined; next = peek(state)?.text) {
    if (next === "(") call(chain);
    else if (next === "[") addStep(chain, group(state));
    else if (next === "." && peek(state, 1)?.kind === "name")
      addStep(chain, take(state) + take(state));
    else break;
  }
  return mayBeMissing(state) ? guardAllButLast(chain) : guardChain(chain);
}

function addStep({ state, steps }: Chain, text: string): void {
  steps.push({ text, end: state.at });
}

/** `f(...)`, or `value.method(...)` with the value checked: methods are no data, and not defined as such. */
function call(chain: Chain): void {
  const isFunction = chain.isName && chain.steps.length === 0;
  if (isFunction) chain.state.found.functions.add(chain.base);
  const callee = isFunction ? chain.base : guardAllButLast(chain);
  chain.base = callee + group(chain.state);
  chain.isName = false;
  chain.steps = [];
}

function mayBeMissing(state: GuardState): boolean {
  const word = (ahead: number) => peek(state, ahead)?.text ?? "";
  if (word(0) === "|") return word(1) === "default" || word(1) === "d";
  const tested = word(1) === "not" ? word(2) : word(1);
  return word(0) === "is" && (tested === "defined" || tested === "undefined");
}

function guardAllButLast(chain: Chain): string {
  const last = chain.steps.at(-1);
  if (last === undefined) return chain.base;
  return guardChain({ ...chain, steps: chain.steps.slice(0, -1) }) + last.text;
}

function guardChain({ state, start, base, isName, steps }: Chain): string {
  const prefixes = isName ? [base] : [];
  let value = base;
  for (const step of steps) {
    value += step.text;
    prefixes.push(value);
  }
  if (prefixes.length === 0) return base;
  const tokens = state.tokens.slice(start, steps.at(-1)?.end ?? start + 1);
  const text = tokens.map((token) => token.text).join("");
  const site = state.found.reads.push({ text, path: leadingPath(tokens) }) - 1;
  if (value.length * prefixes.length > maxLength)
    throw new UnsupportedTemplate("it is nested too deep");
  const checks = prefixes.map((prefix) => `${prefix} is defined`).join(" and ");
  return `(${value} if ${checks} else ${missingCall}${site}())`;
}
