import type { Document, LineCounter, ParsedNode } from "yaml";

import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { parseLocatedJson } from "./located-json.ts";

/** A YAML or JSON file with the places of what it holds. */
export interface SpecFile {
  readonly value: unknown;
  /** `suite.yaml:12:5` for the key or item that a path names, or for the nearest thing above it that exists. */
  place(path: readonly PropertyKey[]): string;
}

export async function parseSpecFile(
  given: string,
  shown: string,
  format: "yaml" | "json",
): Promise<SpecFile> {
  const { LineCounter, parseDocument } = await import("yaml");
  const text = given.replace(/^\uFEFF/, "");
  const lines = new LineCounter();
  // JSON text is YAML too: its own parser gives the value, this one the places and the duplicate keys.
  const document = parseDocument<ParsedNode>(text, {
    lineCounter: lines,
    uniqueKeys: true,
    prettyErrors: false,
  });
  const value = format === "json" ? parseLocatedJson(text, shown) : undefined;
  const problems = [...document.errors, ...document.warnings];
  const problem = problems.find(({ code }) => format === "yaml" || code === "DUPLICATE_KEY");
  if (problem !== undefined) throw syntaxError(problem, placeAt(shown, lines, problem.pos[0]));
  return {
    value: format === "json" ? value : yamlValue(document, shown),
    place: (path) => placeAt(shown, lines, offsetOf(document, path)),
  };
}

function syntaxError(
  { code, message }: { readonly code: string; readonly message: string },
  place: string,
): AssayError {
  const what = code === "DUPLICATE_KEY" ? "this key is already there" : `syntax error: ${message}`;
  return new AssayError("ASSAY_SUITE_LOAD_FAILED", `${place}: ${what}`);
}

function yamlValue(document: Document.Parsed, shown: string): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    throw new AssayError("ASSAY_SUITE_LOAD_FAILED", `${shown}: ${messageOf(cause)}`, { cause });
  }
}

function placeAt(shown: string, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return line === 0 ? shown : `${shown}:${line}:${col}`;
}

interface Position {
  readonly offset: number;
  readonly node: unknown;
}

function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  let at: Position = { offset: startOf(document.contents) ?? 0, node: document.contents };
  for (const segment of path) {
    const next = childOf(document, at.node, segment);
    if (next === null) break;
    at = next;
  }
  return at.offset;
}

function childOf(document: Document.Parsed, node: unknown, segment: PropertyKey): Position | null {
  const target = isAlias(node) ? node.resolve(document) : node;
  for (const [index, item] of itemsOf(target).entries()) {
    if (isPair(item)) {
      if (String(isScalar(item.key) ? item.key.value : item.key) !== String(segment)) continue;
      return { offset: startOf(item.key) ?? 0, node: item.value };
    }
    if (index === segment) return { offset: startOf(item) ?? 0, node: item };
  }
  return null;
}

// Checked by shape: the package's own guards would have to be loaded here.
function itemsOf(node: unknown): readonly unknown[] {
  return isRecord(node) && Array.isArray(node["items"]) ? node["items"] : [];
}

function isPair(node: unknown): node is { readonly key: unknown; readonly value: unknown } {
  return isRecord(node) && "key" in node && "value" in node;
}

function isScalar(node: unknown): node is { readonly value: unknown } {
  return isRecord(node) && "value" in node;
}

function isAlias(node: unknown): node is { resolve(document: Document.Parsed): unknown } {
  return isRecord(node) && typeof node["resolve"] === "function";
}

function startOf(node: unknown): number | null {
  const range = isRecord(node) ? node["range"] : null;
  return Array.isArray(range) && typeof range[0] === "number" ? range[0] : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
