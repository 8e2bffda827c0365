import { AssayError } from "../errors/assay-error.ts";
import { getOwn, type JsonObject, type JsonValue, parseJson, setOwn } from "../support/json.ts";
import type { CompiledTemplate } from "./compiled-template.ts";
import { isUnknown, type NameKind, renderSource, syntaxError } from "./engine.ts";
import { type Findings, missingCall, UnsupportedTemplate } from "./guard.ts";
import { isOfTask, type Path } from "./path.ts";
import { type Rewritten, rewriteExpression, rewriteTemplate } from "./rewrite.ts";
import type { Piece, Token } from "./scan.ts";
import { undefinedValue } from "./undefined-value.ts";

/** Functions that exist inside a template only. */
const innerFunctions = ["caller", "super", "loop", "self"];

/** A template that needs the engine. */
export function engineTemplate(
  source: string,
  pieces: readonly Piece[] | null,
  name: string,
): CompiledTemplate {
  const problem = syntaxError(source);
  if (problem !== null) throw invalid(name, problem);
  if (pieces === null) throw invalid(name, "syntax error: a tag or a quote is not closed");
  const usesJson = source.includes("tojson");
  const tokens = singleExpression(source, pieces);
  const text = prepare(name, () => rewriteTemplate(pieces));
  const renderText = (context: JsonObject) => run(text, context, name);
  const renderValue = tokens === null ? renderText : nativeRender(tokens, name);
  const render = (context: JsonObject) => {
    const value = renderValue(context);
    return usesJson && typeof value === "string" ? parse(value, name) : value;
  };
  const isSettled = readsTaskAlone(text);
  return {
    paths: pathsOf(text),
    isConstant: false,
    isOfTask: isSettled,
    checkTask: (context) => {
      if (isSettled) render(context);
    },
    render,
    renderText,
  };
}

/** What is read of a computed value (a null path) is as settled as the values that it is computed from. */
function readsTaskAlone({ names, reads, locals }: Findings): boolean {
  const areNamed = [...names].every((used) => used === "item" || locals.has(used));
  return (
    areNamed && reads.every(({ path }) => path === null || locals.has(path[0]) || isOfTask(path))
  );
}

function nativeRender(tokens: readonly Token[], name: string): (context: JsonObject) => JsonValue {
  const native = prepare(name, () => rewriteExpression(tokens));
  return (context) => parse(run(native, context, name), name);
}

/** The tokens of a template that is one `{{ expression }}`: one opener, one closer, no statement. */
function singleExpression(source: string, pieces: readonly Piece[]): readonly Token[] | null {
  const text = source.trim();
  const isOne = text.startsWith("{{") && text.endsWith("}}") && !text.includes("{%");
  if (!isOne || text.split("{{").length !== 2 || text.split("}}").length !== 2) return null;
  for (const piece of pieces) if (piece.kind === "print") return piece.tokens;
  return null;
}

function prepare(name: string, rewrite: () => Rewritten): Rewritten {
  let rewritten: Rewritten;
  try {
    rewritten = rewrite();
  } catch (cause) {
    if (cause instanceof UnsupportedTemplate) throw invalid(name, cause.message);
    throw cause;
  }
  refuseUnknownNames(name, rewritten);
  const problem = syntaxError(rewritten.source);
  if (problem !== null) throw invalid(name, problem);
  return rewritten;
}

function refuseUnknownNames(name: string, found: Findings): void {
  const functions = [...found.functions].filter(
    (used) => !found.locals.has(used) && !innerFunctions.includes(used),
  );
  const used: [NameKind, Iterable<string>][] = [
    ["filter", found.filters],
    ["test", found.tests],
    ["function", functions],
  ];
  for (const [kind, names] of used) {
    for (const unknown of names) {
      if (isUnknown(kind, unknown)) throw invalid(name, `there is no ${kind} "${unknown}"`);
    }
  }
}

function pathsOf({ reads, locals }: Findings): Path[] {
  return reads.flatMap(({ path }) => (path === null || locals.has(path[0]) ? [] : [path]));
}

function run(rewritten: Rewritten, context: JsonObject, name: string): string {
  const used: Record<string, JsonValue> = {};
  for (const key of rewritten.names) {
    const value = getOwn(context, key);
    if (value !== undefined) setOwn(used, key, value);
  }
  const { text, problem } = renderSource(rewritten.source, used);
  if (problem === null) return text;
  const site = new RegExp(`${missingCall}(\\d+)`).exec(problem)?.[1];
  const read = site === undefined ? undefined : rewritten.reads[Number(site)];
  if (read !== undefined) {
    const isLocal = read.path !== null && rewritten.locals.has(read.path[0]);
    throw undefinedValue(name, isLocal ? { ...read, path: null } : read, context);
  }
  throw invalid(name, problem);
}

function parse(text: string, name: string): JsonValue {
  try {
    return parseJson(text, "the rendered text") as JsonValue;
  } catch (cause) {
    throw new AssayError(
      "ASSAY_TEMPLATE_INVALID",
      `${name}: gives text that is not JSON, although it uses tojson`,
      {
        cause,
        data: { template: name },
      },
    );
  }
}

function invalid(name: string, problem: string): AssayError {
  return new AssayError("ASSAY_TEMPLATE_INVALID", `${name}: ${problem}`, {
    data: { template: name },
  });
}
