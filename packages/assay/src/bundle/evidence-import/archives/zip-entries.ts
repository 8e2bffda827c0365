export interface ZipEntry {
  readonly method: number;
  readonly bytes: Buffer;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const endLength = 22;
const entryLength = 46;
const localLength = 30;
const longestComment = 0xffff;

/** The entries of a ZIP file by its directory; null when it cannot be read that way: damaged, encrypted, of several parts, over 4 GiB. */
export function zipEntries(file: Buffer): readonly ZipEntry[] | null {
  const end = endOfDirectory(file);
  if (end === -1) return null;
  const count = file.readUInt16LE(end + 10);
  const entries: ZipEntry[] = [];
  let at = file.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    if (at + entryLength > file.length || file.readUInt32LE(at) !== entrySignature) return null;
    const isEncrypted = (file.readUInt16LE(at + 8) & 1) === 1;
    const bytes = bytesOf(file, {
      at: file.readUInt32LE(at + 42),
      size: file.readUInt32LE(at + 20),
    });
    if (isEncrypted || bytes === null) return null;
    entries.push({ method: file.readUInt16LE(at + 10), bytes });
    at += entryLength + [28, 30, 32].reduce((sum, field) => sum + file.readUInt16LE(at + field), 0);
  }
  return at === end ? entries : null;
}

function bytesOf(
  file: Buffer,
  { at, size }: { readonly at: number; readonly size: number },
): Buffer | null {
  if (at + localLength > file.length || file.readUInt32LE(at) !== localSignature) return null;
  const start = at + localLength + file.readUInt16LE(at + 26) + file.readUInt16LE(at + 28);
  return start + size <= file.length ? file.subarray(start, start + size) : null;
}

function endOfDirectory(file: Buffer): number {
  const least = Math.max(0, file.length - endLength - longestComment);
  for (let at = file.length - endLength; at >= least; at -= 1)
    if (file.readUInt32LE(at) === endSignature) return at;
  return -1;
}
