/**
 * Where what a pattern describes ends, piece by piece: on long texts the engine's regular expressions run out of their stack,
 * so the pattern is sticky and takes a thousand characters or so at once.
 */
export function extentOf(text: string, from: number, piece: RegExp): number {
  let end = from;
  do {
    piece.lastIndex = end;
    if (!piece.test(text)) break;
    end = piece.lastIndex;
  } while (end < text.length);
  return end;
}
