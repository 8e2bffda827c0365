import { isPlainObject, type JsonValue, setOwn } from "../../../support/json.ts";
import type { DocumentMember, DocumentNode } from "../../../support/json-places.ts";
import { isCredentialName } from "../credential-names.ts";
import { redactSettings } from "../key-rules.ts";
import { redactedMark } from "../secret.ts";

/** What takes the place of a part of the text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type Tell = (rule: string) => void;

/** Members of a document of anything else that hold settings. */
const settingsMember =
  /^(?:(?:\w*[._-])?(?:config|configuration|settings|environment|headers)|env(?:ironment)?(?:[._-]?(?:vars?|variables))?|extra[._-]?env|kwargs|\w+_kwargs)$/i;

/** The edits that take each value out whose name says credential: of a whole document, or of what it holds of settings. */
export function editsOf(node: DocumentNode, isWhole: boolean, tell: Tell): readonly Edit[] {
  const edits: Edit[] = [];
  const clean = (part: DocumentNode, name: string) =>
    compare(part, redactSettings({ [name]: dataOf(part) }, tell)[name] as JsonValue, edits);
  // Wherever they stand, a flag is followed by its value, and an address names its own parameters.
  const cleanAddress = (part: DocumentNode): void => {
    if (part.kind === "scalar" && isAddress(part.value)) clean(part, "");
  };
  const visitList = (items: readonly DocumentNode[]): void => {
    for (const [index, item] of items.entries())
      if (index > 0 && isCredentialFlag(items[index - 1]) && isWord(item)) clean(item, "secret");
      else visit(item);
  };
  const visit = (part: DocumentNode): void => {
    if (part.kind === "scalar") cleanAddress(part);
    if (part.kind === "list") visitList(part.items);
    if (part.kind !== "object") return;
    for (const { key, node: inner } of part.members) {
      if (settingsMember.test(key)) clean(inner, key);
      else visit(inner);
    }
  };
  if (isWhole) clean(node, "");
  else visit(node);
  return edits;
}

function isAddress(value: unknown): boolean {
  return typeof value === "string" && /^[a-z][a-z0-9+.-]{0,40}:\/\/\S+$/i.test(value);
}

function isCredentialFlag(node: DocumentNode | undefined): boolean {
  if (node?.kind !== "scalar" || typeof node.value !== "string") return false;
  return /^--?[A-Za-z][\w.-]{0,60}$/.test(node.value) && isCredentialName(node.value);
}

function isWord(node: DocumentNode): boolean {
  return node.kind === "scalar" && typeof node.value === "string" && !node.value.startsWith("-");
}

/** The text with the edits done. */
export function edited(text: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const { start, end, text: put } of [...edits].sort((a, b) => a.start - b.start)) {
    result += text.slice(at, start) + put;
    at = end;
  }
  return result + text.slice(at);
}

function dataOf(node: DocumentNode): JsonValue {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(dataOf);
  const layers = layersOf(node.members).map((members) => {
    const layer: Record<string, JsonValue> = {};
    for (const { key, node: inner } of members) setOwn(layer, key, dataOf(inner));
    return layer;
  });
  return layers.length === 1 ? (layers[0] as JsonValue) : layers;
}

/** An object whose keys stand in it twice is read as a list of objects, each with every key once. */
function layersOf(members: readonly DocumentMember[]): readonly DocumentMember[][] {
  const layers: DocumentMember[][] = [[]];
  const seen = new Map<string, number>();
  for (const member of members) {
    const layer = seen.get(member.key) ?? 0;
    seen.set(member.key, layer + 1);
    layers[layer] = [...(layers[layer] ?? []), member];
  }
  return layers;
}

function compare(node: DocumentNode, clean: JsonValue, edits: Edit[]): void {
  if (node.kind === "scalar") {
    if (clean !== node.value) edits.push(editOf(node, clean));
  } else if (clean === redactedMark) edits.push(editOf(node, clean));
  else if (node.kind === "list")
    for (const [index, item] of node.items.entries())
      compare(item, (clean as readonly JsonValue[])[index] ?? null, edits);
  else {
    const layers = layersOf(node.members);
    const cleanLayers = layers.length === 1 ? [clean] : (clean as readonly JsonValue[]);
    for (const [index, members] of layers.entries()) {
      const layer = cleanLayers[index];
      if (!isPlainObject(layer)) continue;
      for (const { key, node: inner } of members) compare(inner, layer[key] as JsonValue, edits);
    }
  }
}

function editOf({ start, end }: DocumentNode, clean: JsonValue): Edit {
  return { start, end, text: JSON.stringify(clean) };
}
