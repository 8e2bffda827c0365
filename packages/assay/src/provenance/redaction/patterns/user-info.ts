import type { Match } from "../search.ts";

/**
 * What begins an address, its slashes escaped or not, and its user-info. A password may hold what ends the host
 * elsewhere; then what stands before it is no port.
 */
const userInfo =
  /(:(?:\\{0,16}\/){2})([^\s/?#"'<>\\@]{1,1024}(?:@[^\s/?#"'<>\\@]{1,256})?|[^\s/?#"'<>\\@:]{1,256}:(?!\d{1,5}[/?#])[^\s"'<>\\@]{1,1024})@(?=[\w[%{$-])/g;
const standIns = /^(?:pass(?:word)?|pwd|secret|token|my.?pass(?:word)?|your.?.{0,20}|\*+|x+|\.+)$/i;
const isTemplate = /[${}]|^%\w+%?$|^\[.*\]$/;
const minTokenLength = 16;
const minPasswordLength = 4;

/** The user-info of addresses: a password, or a user name so long that it is a token. */
export function userInfoIn(text: string): readonly Match[] {
  if (!text.includes("@")) return [];
  const found: Match[] = [];
  for (const { index, 1: begin = "", 2: given = "" } of text.matchAll(userInfo)) {
    const start = index + begin.length;
    if (isCredential(given)) found.push({ start, end: start + given.length });
  }
  return found;
}

function isCredential(given: string): boolean {
  const colon = given.indexOf(":");
  const password = colon === -1 ? "" : given.slice(colon + 1);
  if (password === "")
    return given.length >= minTokenLength && !isTemplate.test(given) && /\d/.test(given);
  return (
    password.length >= minPasswordLength && !standIns.test(password) && !isTemplate.test(password)
  );
}
