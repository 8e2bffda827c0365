import type { Node } from "yaml";

import type { JsonPrimitive } from "../../../support/json.ts";
import type { DocumentMember, DocumentNode } from "../../../support/json-places.ts";

/** The values of a YAML text with their places; null for what is none. Aliases are not followed. */
export async function readYamlDocument(text: string): Promise<DocumentNode | null> {
  const yaml = await import("yaml");

  const nodeOf = (node: unknown): DocumentNode | null => {
    if (!yaml.isNode(node) || yaml.isAlias(node)) return null;
    const place = placeOf(node, text);
    if (place === null) return null;
    if (yaml.isScalar(node)) return { kind: "scalar", value: primitiveOf(node.value), ...place };
    if (yaml.isSeq(node)) return { kind: "list", items: nodesOf(node.items), ...place };
    if (!yaml.isMap(node)) return null;
    const members = node.items.flatMap(({ key, value }): DocumentMember[] => {
      const inner = nodeOf(value);
      const name = yaml.isScalar(key) ? String(key.value) : "";
      return inner === null ? [] : [{ key: name, node: inner }];
    });
    return { kind: "object", members, ...place };
  };
  const nodesOf = (items: readonly unknown[]): DocumentNode[] =>
    items.map(nodeOf).filter((node) => node !== null);

  try {
    const documents = yaml.parseAllDocuments(text, { uniqueKeys: false, logLevel: "silent" });
    const all = "empty" in documents ? [] : documents;
    if (all.some(({ errors }) => errors.length > 0)) return null;
    const items = nodesOf(all.map(({ contents }) => contents));
    return { kind: "list", items, start: 0, end: text.length };
  } catch (thrown) {
    // Nested deeper than a call may go.
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}

/** Of a text over several lines the last line end belongs to what follows. */
function placeOf({ range }: Node, text: string) {
  if (range === null || range === undefined) return null;
  const [start, end] = range;
  return { start, end: start < end && text[end - 1] === "\n" ? end - 1 : end };
}

function primitiveOf(value: unknown): JsonPrimitive {
  if (value === null || typeof value === "boolean") return value;
  return typeof value === "number" ? value : String(value);
}
