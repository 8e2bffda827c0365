/** Of a longer text no server takes it. */
const maxLength = 8192;

/** Whether a text is `name:password` in base64: what `Basic` is followed by says by itself what it is. */
export function isLoginInBase64(given: string): boolean {
  if (given.length > maxLength || !/^[A-Za-z0-9+/_-]{4,}={0,2}$/.test(given)) return false;
  return /^[ -~]{1,256}:[ -~]*$/.test(Buffer.from(given, "base64").toString("latin1"));
}

/** Of a registry of images or packages: its value is such a text, or says how to log in. */
export function isLoginName(name: string): boolean {
  return /^_?auth$/i.test(name);
}
