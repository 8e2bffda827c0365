/** Formats that hold other bytes than they show. */
export type ArchiveKind = "gzip" | "zlib" | "zip" | "tar" | "git-pack" | "opaque";

/** So many first bytes tell. */
export const tellingBytes = 512;

const zipStarts = ["504b0304", "504b0506", "504b0708"].map((hex) => Buffer.from(hex, "hex"));
const zlibLevels = new Set([0x01, 0x5e, 0x9c, 0xda]);
const opaqueStarts = [
  "425a68", // bzip2
  "fd377a585a00", // xz
  "28b52ffd", // zstd
  "377abcaf271c", // 7z
  "526172211a07", // rar
  "04224d18", // lz4
  "1f9d", // compress
  "1fa0", // lzh
  "5d00008000", // lzma
  "4d534346", // cab
].map((hex) => Buffer.from(hex, "hex"));

/** The format of a file by its first bytes; null for one that shows what it holds. */
export function archiveKindOf(start: Uint8Array): ArchiveKind | null {
  const bytes = Buffer.from(start.buffer, start.byteOffset, start.byteLength);
  if (bytes.length < 2) return null;
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return "gzip";
  if (zipStarts.some((sign) => startsWith(bytes, sign))) return "zip";
  if (bytes.toString("latin1", 257, 262) === "ustar") return "tar";
  if (bytes.toString("latin1", 0, 4) === "PACK") return "git-pack";
  if (bytes[0] === 0x78 && zlibLevels.has(bytes[1] ?? 0)) return "zlib";
  return opaqueStarts.some((sign) => startsWith(bytes, sign)) ? "opaque" : null;
}

function startsWith(bytes: Buffer, sign: Buffer): boolean {
  return bytes.subarray(0, sign.length).equals(sign);
}
