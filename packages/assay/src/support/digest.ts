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
