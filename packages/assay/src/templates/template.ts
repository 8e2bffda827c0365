import { AssayError } from "../errors/assay-error.ts";
import { isPlainObject, type JsonObject, type JsonValue, setOwn } from "../support/json.ts";
import type { CompiledTemplate } from "./compiled-template.ts";
import { directTemplate } from "./direct.ts";
import { engineTemplate } from "./engine-template.ts";
import { pythonText } from "./python-text.ts";
import { scan } from "./scan.ts";

/** Text with `{{ ... }}` in it, or an object or list whose strings are templates; other values stay as they are. */
export type Template = JsonValue;

export interface TemplateSource {
  /** Named first in every message: the metric and the field. */
  readonly name: string;
}

/**
 * Compiles a Jinja template. Sandboxed; a value that does not exist is an error.
 * Constants and templates that only name values are rendered without the engine.
 * Throws `ASSAY_TEMPLATE_INVALID` for a syntax error or an unknown filter, test or function.
 */
export function compileTemplate(template: Template, { name }: TemplateSource): CompiledTemplate {
  if (typeof template === "string") return compileText(template, name);
  if (Array.isArray(template)) {
    const items = template.map((item: Template, index) =>
      compileTemplate(item, { name: `${name}[${index}]` }),
    );
    return compound(items, (context) => items.map((item) => item.render(context)));
  }
  if (!isPlainObject(template)) return constant(template);
  const fields = Object.entries(template).map(
    ([key, item]) => [key, compileTemplate(item as Template, { name: `${name}.${key}` })] as const,
  );
  return compound(
    fields.map(([, item]) => item),
    (context) => {
      const result: Record<string, JsonValue> = {};
      for (const [key, item] of fields) setOwn(result, key, item.render(context));
      return result;
    },
  );
}

/** As Jinja2 does: one kind of newline, and the last one is dropped. */
function compileText(text: string, name: string): CompiledTemplate {
  const source = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  const pieces = scan(source);
  if (pieces?.every((piece) => piece.kind === "text")) return constant(source);
  return (pieces && directTemplate(pieces, name)) ?? engineTemplate(source, pieces, name);
}

function constant(value: JsonValue): CompiledTemplate {
  return {
    paths: [],
    isConstant: true,
    isOfTask: true,
    checkTask: () => {},
    render: () => value,
    renderText: () => pythonText(value),
  };
}

function compound(
  parts: readonly CompiledTemplate[],
  render: (context: JsonObject) => JsonValue,
): CompiledTemplate {
  return {
    paths: parts.flatMap((part) => part.paths),
    isConstant: parts.every((part) => part.isConstant),
    isOfTask: parts.every((part) => part.isOfTask),
    checkTask: (context) => {
      for (const part of parts) part.checkTask(context);
    },
    render,
    renderText: (context) => pythonText(render(context)),
  };
}

/** Renders what must be text: a reference, a prompt, a path. */
export function renderString(
  template: CompiledTemplate,
  context: JsonObject,
  name: string,
): string {
  const value = template.render(context);
  if (typeof value === "string") return value;
  throw new AssayError(
    "ASSAY_TEMPLATE_INVALID",
    `${name}: gives ${value === null ? "null" : `a value of type ${Array.isArray(value) ? "list" : typeof value}`}, but text is needed`,
    { remedy: "Name a value that is text, or write `{{ value | string }}`." },
  );
}
