import {
  type Findings,
  type GuardState,
  guardExpression,
  missingCall,
  UnsupportedTemplate,
} from "./guard.ts";
import type { Piece, Token } from "./scan.ts";

export const printFilter = "assay_text";
export const floatFilter = "assay_float";

/** A template whose paths are guarded and whose values print as Python's do. */
export interface Rewritten extends Findings {
  readonly source: string;
}

/** Statements that need a store of templates, which there is none of. */
const loaders = ["include", "import", "from", "extends"];

export function rewriteTemplate(pieces: readonly Piece[]): Rewritten {
  const found = newFindings();
  const source = pieces.map((piece) => rewritePiece(piece, found)).join("");
  return { ...found, source };
}

/** The expression of a template that is exactly one, as JSON text. */
export function rewriteExpression(tokens: readonly Token[]): Rewritten {
  const found = newFindings();
  const expression = guardExpression({ tokens, at: 0, found });
  const missing = missingValue(tokens, found);
  const check = `{% if assay_value is undefined %}{{ ${missing} }}{% endif %}`;
  const source = `{% set assay_value = (${expression}) %}${check}{{ assay_value | tojson }}`;
  return { ...found, source };
}

function newFindings(): Findings {
  return {
    names: new Set(),
    locals: new Set(),
    reads: [],
    filters: new Set(),
    tests: new Set(),
    functions: new Set(),
  };
}

/** Fails for an expression that has no value although all its paths have: `"a" if false`. */
function missingValue(tokens: readonly Token[], found: Findings): string {
  const text = tokens.map((token) => token.text).join(" ");
  return `${missingCall}${found.reads.push({ text, path: null }) - 1}()`;
}

function rewritePiece(piece: Piece, found: Findings): string {
  if (piece.kind === "text" || piece.kind === "verbatim") return piece.text;
  const state: GuardState = { tokens: piece.tokens, at: 0, found };
  if (piece.kind === "statement") {
    return `${piece.open} ${rewriteStatement(state)} ${piece.close}`;
  }
  const trim = piece.open.slice(2);
  const expression = guardExpression(state);
  const other = `assay_value | ${floatFilter} if assay_value is float else assay_value | ${printFilter}`;
  const isPlain = "assay_value is string or assay_value is integer";
  const value = `assay_value if ${isPlain} else ${missingValue(piece.tokens, found)} if assay_value is undefined else ${other}`;
  return `{%${trim} set assay_value = (${expression}) %}{{ ${value} ${piece.close}`;
}

function rewriteStatement(state: GuardState): string {
  const word = state.tokens[0]?.text ?? "";
  if (loaders.includes(word)) {
    throw new UnsupportedTemplate(`"${word}" is not supported: a template cannot load another one`);
  }
  switch (word) {
    case "for":
      return assign(state, "in");
    case "set":
      return assign(state, "=");
    case "macro":
      state.found.locals.add(state.tokens[1]?.text ?? "");
      return `${raw(state, 2)} ${parameters(state)}`;
    case "call":
      return `${raw(state, 1)} ${state.tokens[1]?.text === "(" ? parameters(state) : ""} ${guardExpression(state)}`;
    case "if":
    case "elif":
    case "do":
      return `${raw(state, 1)} ${guardExpression(state)}`;
    case "with":
      return `${raw(state, 1)} ${withTargets(state)}`;
    case "filter":
      return filterBlock(state);
    default:
      return raw(state, state.tokens.length);
  }
}

/** Passes tokens on as they are. */
function raw(state: GuardState, count: number): string {
  const tokens = state.tokens.slice(state.at, state.at + count);
  state.at += count;
  return tokens.map((token) => token.text).join(" ");
}

/** The names up to `separator` get values; what follows is read. */
function assign(state: GuardState, separator: "in" | "="): string {
  const end = state.tokens.findIndex((token) => token.text === separator);
  const targets = state.tokens.slice(1, end < 0 ? undefined : end);
  for (const token of targets) if (token.kind === "name") state.found.locals.add(token.text);
  if (end < 0) return raw(state, state.tokens.length);
  const isRecursive = separator === "in" && state.tokens.at(-1)?.text === "recursive";
  const before = raw(state, end + 1);
  const read = { ...state, tokens: isRecursive ? state.tokens.slice(0, -1) : state.tokens };
  return `${before} ${guardExpression(read)}${isRecursive ? " recursive" : ""}`;
}

function withTargets(state: GuardState): string {
  for (const [index, token] of state.tokens.entries()) {
    const isTarget = token.kind === "name" && state.tokens[index + 1]?.text === "=";
    if (isTarget) state.found.locals.add(token.text);
  }
  return guardExpression(state);
}

/** `(a, b=default)`: names are declared, defaults are read. */
function parameters(state: GuardState): string {
  const output = [raw(state, 1)];
  for (let token = state.tokens[state.at]; token !== undefined && token.text !== ")"; ) {
    if (token.kind === "name") state.found.locals.add(token.text);
    output.push(raw(state, 1));
    if (token.text === "=") output.push(defaultValue(state));
    token = state.tokens[state.at];
  }
  return `${output.join(" ")} ${raw(state, 1)}`;
}

/** One default: up to the next comma or the end of the list, outside inner brackets. */
function defaultValue(state: GuardState): string {
  const start = state.at;
  let depth = 0;
  let end = start;
  for (; end < state.tokens.length; end += 1) {
    const text = state.tokens[end]?.text ?? "";
    if (depth === 0 && (text === "," || text === ")")) break;
    if ("([{".includes(text)) depth += 1;
    if (")]}".includes(text)) depth -= 1;
  }
  state.at = end;
  return guardExpression({ ...state, tokens: state.tokens.slice(start, end), at: 0 });
}

/** `{% filter upper | replace("a", b) %}`: a pipeline without its first value. */
function filterBlock(state: GuardState): string {
  const tokens: Token[] = [{ kind: "operator", text: "|" }, ...state.tokens.slice(1)];
  return `filter ${guardExpression({ ...state, tokens, at: 0 }).slice(1)}`;
}
