import type { Match } from "../search.ts";

const userInfo = /:\/\/([^\s/?#"'<>\\@]{1,1024}(?:@[^\s/?#"'<>\\@]{1,256})?)@(?=[\w[%{$-])/g;
const placeholders =
  /^(?:pass(?:word)?|pwd|secret|token|my.?pass(?:word)?|your.?.{0,20}|\*+|x+|\.+)$/i;
const isTemplate = /[${}]|^%\w+%?$|^\[.*\]$/;
const minTokenLength = 16;
const minPasswordLength = 4;

/** The user-info of addresses: a password, or a user name so long that it is a token. */
export function userInfoIn(text: string): readonly Match[] {
  if (!text.includes("@")) return [];
  const found: Match[] = [];
  for (const { index, 1: given = "" } of text.matchAll(userInfo)) {
    if (isCredential(given)) found.push({ start: index + 3, end: index + 3 + given.length });
  }
  return found;
}

function isCredential(given: string): boolean {
  const colon = given.indexOf(":");
  const password = colon === -1 ? "" : given.slice(colon + 1);
  if (password === "")
    return given.length >= minTokenLength && !isTemplate.test(given) && /\d/.test(given);
  return (
    password.length >= minPasswordLength &&
    !placeholders.test(password) &&
    !isTemplate.test(password)
  );
}
