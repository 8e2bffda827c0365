import { getOwn, isPlainObject } from "../support/json.ts";
import type { Token } from "./scan.ts";

/** A dotted path: the name first, then keys and positions. */
export type Path = readonly [string, ...(string | number)[]];

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const words = ["true", "false", "none", "True", "False", "None"];
const operators = ["and", "or", "not", "in", "is", "if", "else"];

export function isLiteralWord(text: string): boolean {
  return words.includes(text);
}

export function isOperatorWord(text: string): boolean {
  return operators.includes(text);
}

/** Whether a path is settled by the task alone. At top level an agent's metadata could take the name. */
export function isOfTask([head, second]: Path): boolean {
  return head === "item" && (second === "task" || second === "inputs" || second === "reference");
}

/** The path that the tokens spell and nothing else, or null: `item.rows[0]["a b"]`. */
export function parsePath(tokens: readonly Token[]): Path | null {
  const { path, length } = readPath(tokens);
  return length === tokens.length ? path : null;
}

/** The part of a path up to the first step that is computed, or null when even its start is. */
export function leadingPath(tokens: readonly Token[]): Path | null {
  return readPath(tokens).path;
}

function readPath(tokens: readonly Token[]) {
  const [head] = tokens;
  const isName = head?.kind === "name" && plainName.test(head.text);
  if (!isName || isLiteralWord(head.text) || isOperatorWord(head.text)) {
    return { path: null, length: 0 };
  }
  const path: [string, ...(string | number)[]] = [head.text];
  let length = 1;
  for (let step = stepAt(tokens, 1); step !== null; step = stepAt(tokens, length)) {
    path.push(step.segment);
    length += step.length;
  }
  return { path, length };
}

function stepAt(tokens: readonly Token[], at: number) {
  const text = (offset: number) => tokens[at + offset]?.text;
  const next = tokens[at + 1];
  if (text(0) === "." && next?.kind === "name" && plainName.test(next.text)) {
    return { segment: next.text, length: 2 };
  }
  if (text(0) !== "[" || next === undefined) return null;
  if (text(2) === "]") {
    const segment = literalOf(next);
    return segment === null ? null : { segment, length: 3 };
  }
  const position = text(1) === "-" && text(3) === "]" ? literalOf(tokens[at + 2]) : null;
  return typeof position === "number" ? { segment: -position, length: 4 } : null;
}

function literalOf(token: Token | undefined): string | number | null {
  if (token?.kind === "string") return token.text.includes("\\") ? null : token.text.slice(1, -1);
  return token?.kind === "number" && /^\d{1,9}$/.test(token.text) ? Number(token.text) : null;
}

/** What a path leads to, or how many of its segments exist. Own properties only. */
export type Resolution =
  | { readonly isFound: true; readonly value: unknown }
  | { readonly isFound: false; readonly depth: number; readonly parent: unknown };

export function resolvePath(context: object, path: Path): Resolution {
  let value: unknown = context;
  let depth = 0;
  for (const segment of path) {
    const next = step(value, segment);
    if (next === undefined) return { isFound: false, depth, parent: value };
    value = next;
    depth += 1;
  }
  return { isFound: true, value };
}

function step(value: unknown, segment: string | number): unknown {
  if (typeof segment === "string") return isPlainObject(value) ? getOwn(value, segment) : undefined;
  if (Array.isArray(value)) return value.at(segment);
  return typeof value === "string" ? Array.from(value).at(segment) : undefined;
}

/** `item.rows[0]["a b"]` */
export function pathText(path: readonly (string | number)[]): string {
  return path
    .map((segment, index) => {
      if (typeof segment === "number") return `[${segment}]`;
      if (!plainName.test(segment)) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join("");
}
