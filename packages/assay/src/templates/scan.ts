/** Splits the source of a template into its pieces. Jinja's own rules: balanced brackets, quoted text, raw blocks. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  /** Comments and raw blocks: nothing in them is ever evaluated. */
  | { readonly kind: "verbatim"; readonly text: string }
  | {
      readonly kind: "print" | "statement";
      readonly open: string;
      readonly tokens: readonly Token[];
      readonly close: string;
    };

export interface Token {
  readonly kind: "name" | "string" | "number" | "operator";
  readonly text: string;
}

const patterns = {
  start: /\{\{|\{%|\{#/g,
  raw: /\{%[-+]?\s*raw\s*[-+]?%\}/y,
  endRaw: /\{%[-+]?\s*endraw\s*[-+]?%\}/g,
  open: /\{[{%][-+]?/y,
  printClose: /[-+]?\}\}/y,
  statementClose: /[-+]?%\}/y,
  space: /\s+/y,
  string: /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"/y,
  number: /0[xXoObB][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][-+]?\d+)?/y,
  name: /[\p{L}_][\p{L}\p{N}_]*/uy,
  operator: /\/\/|\*\*|==|!=|<=|>=|[-+*/%~<>=.,:|()[\]{}]/y,
};

/** The pieces of a template, or null where its brackets, quotes or tags do not close: the engine says what is wrong. */
export function scan(source: string): Piece[] | null {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < source.length) {
    patterns.start.lastIndex = at;
    const start = patterns.start.exec(source)?.index ?? source.length;
    if (start > at) pieces.push({ kind: "text", text: source.slice(at, start) });
    if (start === source.length) break;
    const found = verbatimAt(source, start) ?? tagAt(source, start);
    if (found === null) return null;
    pieces.push(found.piece);
    at = found.end;
  }
  return pieces;
}

interface Found {
  readonly piece: Piece;
  readonly end: number;
}

function verbatimAt(source: string, start: number): Found | null {
  const end = source.startsWith("{#", start)
    ? endOfComment(source, start)
    : endOfRaw(source, start);
  return end === null ? null : { piece: { kind: "verbatim", text: source.slice(start, end) }, end };
}

function endOfComment(source: string, start: number): number | null {
  const end = source.indexOf("#}", start + 2);
  return end < 0 ? null : end + 2;
}

function endOfRaw(source: string, start: number): number | null {
  const open = match(patterns.raw, source, start);
  if (open === null) return null;
  patterns.endRaw.lastIndex = start + open.length;
  const close = patterns.endRaw.exec(source);
  return close === null ? null : close.index + close[0].length;
}

function tagAt(source: string, start: number): Found | null {
  const open = match(patterns.open, source, start);
  if (open === null) return null;
  const isPrint = open.startsWith("{{");
  const closing = isPrint ? patterns.printClose : patterns.statementClose;
  const tokens: Token[] = [];
  let at = start + open.length;
  let depth = 0;
  while (at < source.length) {
    const close = depth === 0 ? match(closing, source, at) : null;
    if (close !== null) {
      const kind = isPrint ? "print" : "statement";
      return { piece: { kind, open, tokens, close }, end: at + close.length };
    }
    const token = tokenAt(source, at);
    if (token === null) return null;
    if (token.kind !== "space") tokens.push(token as Token);
    if (token.kind === "operator") depth += depthOf(token.text);
    at += token.text.length;
  }
  return null;
}

function tokenAt(source: string, at: number) {
  for (const kind of ["space", "string", "number", "name", "operator"] as const) {
    const text = match(patterns[kind], source, at);
    if (text !== null) return { kind, text };
  }
  return null;
}

function depthOf(operator: string): number {
  if ("([{".includes(operator)) return 1;
  return ")]}".includes(operator) ? -1 : 0;
}

function match(pattern: RegExp, source: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? null;
}
