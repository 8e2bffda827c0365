import { inflateSync } from "node:zlib";

const headerLength = 12;
const trailerLength = 20;
const offsetDelta = 6;
const referenceDelta = 7;

/** What the objects of a pack of git hold, one after another. Throws where it is no sound pack, or one is larger than `room()`. */
export function* packObjects(file: Buffer, room: () => number): Generator<Buffer> {
  const count = file.readUInt32BE(8);
  let at = headerLength;
  for (let index = 0; index < count; index += 1) {
    if (at >= file.length - trailerLength) throw new Error("the pack ends before its last object");
    const type = ((file[at] ?? 0) >> 4) & 7;
    at = behindNumber(file, at);
    if (type === offsetDelta) at = behindNumber(file, at);
    if (type === referenceDelta) at += 20;
    const { buffer, engine } = inflateSync(file.subarray(at), {
      info: true,
      maxOutputLength: room(),
    }) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    yield buffer;
    at += engine.bytesWritten;
  }
}

/** A number whose bytes go on while their highest bit is set. */
function behindNumber(file: Buffer, at: number): number {
  let end = at;
  while (((file[end] ?? 0) & 0x80) !== 0) end += 1;
  return end + 1;
}
