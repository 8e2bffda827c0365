import type { JsonObject, JsonValue } from "../support/json.ts";
import type { CompiledTemplate } from "./compiled-template.ts";
import { isOfTask, type Path, parsePath, resolvePath } from "./path.ts";
import { pythonText } from "./python-text.ts";
import type { Piece } from "./scan.ts";
import { undefinedValue } from "./undefined-value.ts";

/** Text, or a path with the way it is written. */
type Part = string | { readonly text: string; readonly path: Path };

/**
 * A template made of text and dotted paths, or null when it is more than that.
 * A call of the engine costs over 10 µs and copies its context; this gives the same result without.
 */
export function directTemplate(pieces: readonly Piece[], name: string): CompiledTemplate | null {
  const parts: Part[] = [];
  for (const piece of pieces) {
    const part = partOf(piece);
    if (part === null) return null;
    parts.push(part);
  }
  const read = (part: Part, context: JsonObject): JsonValue => {
    if (typeof part === "string") return part;
    const found = resolvePath(context, part.path);
    if (found.isFound) return found.value as JsonValue;
    throw undefinedValue(name, part, context);
  };
  const text = (context: JsonObject) =>
    parts.map((part) => pythonText(read(part, context))).join("");
  const [only] = meaningful(parts);
  const isNative = meaningful(parts).length === 1 && typeof only === "object";
  const paths = parts.flatMap((part) => (typeof part === "string" ? [] : [part.path]));
  return {
    paths,
    isConstant: false,
    isOfTask: paths.every(isOfTask),
    checkTask: (context) => {
      for (const part of parts)
        if (typeof part !== "string" && isOfTask(part.path)) read(part, context);
    },
    render: isNative ? (context) => read(only, context) : text,
    renderText: text,
  };
}

function partOf(piece: Piece): Part | null {
  if (piece.kind === "text") return piece.text;
  const isPlainPrint = piece.kind === "print" && piece.open === "{{" && piece.close === "}}";
  const path = isPlainPrint ? parsePath(piece.tokens) : null;
  if (!isPlainPrint || path === null) return null;
  return { text: piece.tokens.map((token) => token.text).join(""), path };
}

/** Outer white space does not make a single expression text. */
function meaningful(parts: readonly Part[]): readonly Part[] {
  return parts.filter((part) => typeof part !== "string" || part.trim() !== "");
}
