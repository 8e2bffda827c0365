const blockLength = 512;

/** What the entries of a tar file hold; null when it is damaged or ends in the middle of one. */
export function tarEntries(file: Buffer): readonly Buffer[] | null {
  const entries: Buffer[] = [];
  let at = 0;
  while (at + blockLength <= file.length) {
    const header = file.subarray(at, at + blockLength);
    at += blockLength;
    if (header.every((byte) => byte === 0)) continue;
    const size = sizeIn(header);
    if (size === null || at + size > file.length) return null;
    entries.push(file.subarray(at, at + size));
    at += Math.ceil(size / blockLength) * blockLength;
  }
  return entries;
}

/** Octal digits, or a binary number where those do not reach. */
function sizeIn(header: Buffer): number | null {
  if (((header[124] ?? 0) & 0x80) !== 0) return header.readUIntBE(130, 6);
  const digits = header
    .toString("latin1", 124, 136)
    .replace(/[\0 ]+$/, "")
    .trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || "0", 8) : null;
}
