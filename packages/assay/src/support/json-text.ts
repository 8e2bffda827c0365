/** Behind the quote that ends a string of JSON, of which `from` is behind the first; -1 where none does. */
export function endOfString(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote >= 0) {
    let before = quote - 1;
    while (before >= from && text[before] === "\\") before -= 1;
    if ((quote - 1 - before) % 2 === 0) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return -1;
}
