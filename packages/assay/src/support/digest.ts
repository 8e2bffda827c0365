import { createHash } from "node:crypto";

import { canonicalJson } from "./canonical-json.ts";

/** What a digest is of; part of its text, so that digests of different things never compare equal. */
export type DigestDomain =
  | "settings"
  | "resolved"
  | "plan"
  | "task"
  | "metric"
  | "code"
  | "tasks"
  | "diff"
  | "prompt"
  | "template"
  | "package"
  | "image";

/** Hex SHA-256 of bytes or UTF-8 text. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** The same of bytes that come in chunks. */
export async function sha256HexOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex");
}

/** `assay-<domain>-v1:sha256:<hex>` over the RFC 8785 form of `content`. */
export function digestOf(domain: DigestDomain, content: unknown): string {
  return `assay-${domain}-v1:sha256:${sha256Hex(canonicalJson(content))}`;
}

/** `digestOf(domain, { ...content, [key]: [...items] })`, with the text of one item at a time: a list may be very long. */
export function digestWithList(
  domain: DigestDomain,
  content: object,
  key: string,
  items: Iterable<unknown>,
): string {
  const name = `${JSON.stringify(key)}:[`;
  // Nowhere else: a quote inside of data is escaped, and whoever calls has no such member further in.
  const [head = "", tail = ""] = canonicalJson({ ...content, [key]: [] }).split(`${name}]`);
  const hash = createHash("sha256").update(head + name);
  let separator = "";
  for (const item of items) {
    hash.update(separator + canonicalJson(item));
    separator = ",";
  }
  return `assay-${domain}-v1:sha256:${hash.update(`]${tail}`).digest("hex")}`;
}
