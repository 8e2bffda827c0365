import { replaceCredentials } from "./credential-text.ts";
import { redactedMark } from "./secret.ts";

const userAtHost = /^[^\s/@]+@(?=[^\s/]+:)/;

/** The address of a repository without user-info; `git@`, which is nobody's secret, stays. */
export function withoutCredentials(address: string): string {
  const clean = replaceCredentials(address, { isHeader: false }, ({ rule }) =>
    rule === "url-user-info" ? "" : redactedMark,
  );
  return clean.replace("://@", "://").replace(userAtHost, (user) => (user === "git@" ? user : ""));
}
