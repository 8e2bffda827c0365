import { isCredentialHeader, isCredentialName, isCredentialParameter } from "./credential-names.ts";

export interface FoundCredential {
  readonly rule: "url-user-info" | "named-value";
  readonly value: string;
}

/** A password may hold what ends the host elsewhere; then what stands before it is no port. */
const urlUserInfo =
  /\b([a-z][a-z0-9+.-]{0,40}:\/\/)([^\s/?#"']*|[^\s/?#"'@:]{1,256}:(?!\d{1,5}[/?#])[^\s"'@]{1,1024})@/gi;
/** The same of a text that is an address as a whole: its password may hold blanks. */
const userInfoWithBlanks =
  /^([a-z][a-z0-9+.-]{0,40}:\/\/)([^\s/?#"'@:]{0,256}:(?!\d{1,5}[/?#\s])[^\s"']{0,256} [^\n"']{0,1024})@(?=[\w.-]+(?:[:/?#]|$))/i;
const header = /^([A-Za-z][\w-]*):[ \t]+(\S[^\n]*)$/;
const assignment = /^([^\s=:/?&;]+)=(.+)$/s;
const parameter = /([?&#;\s]|^)([\w.-]+)=("[^"]*"|'[^']*'|[^&;#\s]+)/g;

/**
 * Replaces what a text itself names as a credential: the user-info of URLs, the values of `name=value` pairs (queries,
 * connection strings, assignments) and of `Name: value` headers whose name says so.
 */
export function replaceCredentials(
  text: string,
  context: { readonly isHeader: boolean },
  replace: (found: FoundCredential) => string,
): string {
  const named = (value: string) => replace({ rule: "named-value", value });
  const [, headerName = "", headerValue = ""] = header.exec(text) ?? [];
  if (isCredentialName(headerName) || (context.isHeader && isCredentialHeader(headerName))) {
    return text.slice(0, text.length - headerValue.length) + named(headerValue);
  }
  const [, name = "", value = ""] = assignment.exec(text) ?? [];
  if (isCredentialName(name)) return `${name}=${named(value)}`;
  const address = (whole: string, scheme: string, userInfo: string) =>
    userInfo === "" || userInfo === "git"
      ? whole
      : `${scheme}${replace({ rule: "url-user-info", value: userInfo })}@`;
  return text
    .replace(userInfoWithBlanks, address)
    .replace(urlUserInfo, address)
    .replace(parameter, (whole, before: string, key: string, given: string) =>
      isCredentialParameter(key, /[?&#]/.test(before)) ? `${before}${key}=${named(given)}` : whole,
    );
}
