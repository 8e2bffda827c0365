import type { LogEvidence } from "../../contracts/evidence.ts";
import type { FileStore } from "../../contracts/files.ts";
import { containedPath } from "./contained-path.ts";

const maxTailBytes = 1024 * 1024;
const newline = 0x0a;

/** A handle on a directory of logs, by its real path. */
export function createLogEvidence(root: string, files: FileStore): LogEvidence {
  return {
    async listFiles() {
      const found: string[] = [];
      for await (const { path, kind } of files.walk(root)) if (kind === "file") found.push(path);
      return found.sort();
    },
    async readText(name) {
      return new TextDecoder().decode(
        await files.readRegular(await containedPath(files, root, name)),
      );
    },
    async tail(name, lines = 50) {
      const path = await containedPath(files, root, name);
      return lines > 0 ? lastLines(await lastBytes(files, path), lines) : "";
    },
  };
}

/** The last whole lines that fit into the limit; a longer last line is cut at its start. */
async function lastBytes(files: FileStore, path: string): Promise<Buffer> {
  let chunks: Uint8Array[] = [];
  let kept = 0;
  let total = 0;
  for await (const chunk of files.readChunks(path)) {
    chunks.push(chunk);
    kept += chunk.length;
    total += chunk.length;
    while (kept - (chunks[0]?.length ?? 0) >= maxTailBytes) {
      kept -= chunks[0]?.length ?? 0;
      chunks = chunks.slice(1);
    }
  }
  const bytes = Buffer.concat(chunks);
  if (total <= maxTailBytes) return bytes;
  const tail = bytes.subarray(bytes.length - maxTailBytes);
  const firstLine = tail.subarray(0, -1).indexOf(newline) + 1;
  return tail.subarray(firstLine === 0 ? startOfCharacter(tail) : firstLine);
}

function startOfCharacter(bytes: Buffer): number {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(0, start);
}

function lastLines(bytes: Buffer, lines: number): string {
  const all = bytes
    .toString("utf8")
    .replace(/\r?\n$/, "")
    .split("\n");
  return all.slice(-lines).join("\n");
}
