/** Whether a ref is an address, such as a URL. One letter before the colon is a drive of Windows. */
export function hasScheme(ref: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]+:/.test(ref);
}
