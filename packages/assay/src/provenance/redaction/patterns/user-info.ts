import type { Match } from "../search.ts";

/** A place that looks like a port and no password. */
const port = "\\d{1,5}(?:[/?#\\s]|$)";
const name = "[^\\s/?#\"'<>\\\\@:]{1,256}";
/**
 * What begins an address, its slashes escaped or not, and its user-info up to the last `@`. A password may hold what ends
 * the host elsewhere, blanks too; then what stands before it is no port.
 */
const userInfo = new RegExp(
  `:(?:\\\\{0,16}/){2}(${[
    "[^\\s/?#\"'<>\\\\@]{1,1024}(?:@[^\\s/?#\"'<>\\\\@]{1,256})?",
    `${name}:(?!${port})[^\\s"'<>\\\\@]{1,1024}`,
    `${name}:(?!${port})[^\\s"'<>\\\\@]{1,64}(?: [^\\s"'<>\\\\@]{1,64}){1,3}`,
  ].join("|")})@(?=(?:[\\w[%{$-]|[^\\0-\\x7f])$)`,
);
/** Of all that may stand before the `@`. */
const reach = 1400;
const standIns = /^(?:pass(?:word)?|pwd|secret|token|my.?pass(?:word)?|your.?.{0,20}|\*+|x+|\.+)$/i;
const isTemplate = /[${}]|^%\w+%?$|^\[.*\]$/;
const minTokenLength = 16;
const minPasswordLength = 4;

/** The user-info of addresses: a password, or a user name so long that it is a token. */
export function userInfoIn(text: string): readonly Match[] {
  const found: Match[] = [];
  let before = -1;
  let beforeThat = -1;
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    const from = Math.max(beforeThat + 1, at - reach);
    beforeThat = before;
    before = at;
    const part = text.slice(from, at + 2);
    if (!part.includes("/")) continue;
    const [, given = ""] = userInfo.exec(part) ?? [];
    if (isCredential(given)) found.push({ start: at - given.length, end: at });
  }
  return found;
}

/** Whether `name:password` holds a password, and not what stands in for one. */
export function isLogin(given: string): boolean {
  const password = given.slice(given.indexOf(":") + 1);
  return (
    password.length >= minPasswordLength && !standIns.test(password) && !isTemplate.test(password)
  );
}

function isCredential(given: string): boolean {
  if (/:./.test(given)) return isLogin(given) && (!given.includes(" ") || /\d/.test(given));
  return given.length >= minTokenLength && !isTemplate.test(given) && /\d/.test(given);
}
