import { isCredentialHeader, isCredentialName } from "../credential-names.ts";
import { redactedMark } from "../secret.ts";
import type { Edit } from "./document-node.ts";

const quotedValue = [
  String.raw`"""[\s\S]*?"""`,
  String.raw`'''[\s\S]*?'''`,
  String.raw`"(?:[^"\\\n]|\\.)*"`,
  String.raw`'[^'\n]*'`,
  String.raw`\[[^\]]{0,4096}\]`,
].join("|");
const nameOf = (group: string) =>
  String.raw`["']?(?<${group}>[A-Za-z_/][\w./:@-]{0,200})["']?[ \t]*[:=][ \t]*`;
/** At the beginning of a line a bare value reaches to its end, elsewhere to the next mark. */
const ofLine = String.raw`(?<=^|\n)[ \t]*(?:export[ \t]+|- )?${nameOf("first")}(?<line>${quotedValue}|[^\s"'{][^\n]*)`;
const inLine = String.raw`(?<=[{,(\s])${nameOf("later")}(?<part>${quotedValue}|[^\s"'{,})]+)`;
const pair = new RegExp(`${ofLine}|${inLine}`, "g");
const tableHead = /^[ \t]*\[{1,2}([^[\]\n]{1,200})\]/gm;
const comment = /[ \t\r]+#.*$|[ \t\r,]+$/;

/**
 * The values that a text of `name = value` lines gives to names that say credential: TOML, INI, `.env`, properties, and
 * whatever is torn or of no known form.
 */
export function editsOfAssignments(text: string, tell: (rule: string) => void): readonly Edit[] {
  const heads = [...text.matchAll(tableHead)];
  const logins = editsOfLogins(text, tell);
  const edits = [...logins];
  let login = 0;
  let table = 0;
  pair.lastIndex = 0;
  for (let found = pair.exec(text); found !== null; found = pair.exec(text)) {
    const { first, line, later = "", part = "" } = found.groups ?? {};
    while ((heads[table]?.index ?? Number.POSITIVE_INFINITY) <= found.index) table += 1;
    const given = line ?? part;
    const start = found.index + found[0].length - given.length;
    const whole = isQuoted(given) ? given : given.replace(comment, "");
    if (!saysCredential(first ?? later, heads[table - 1]?.[1] ?? "") || isNone(whole)) {
      // What is no credential may hold one: `env = { API_KEY = "..." }`.
      pair.lastIndex = isText(given) ? start + given.length : start;
      continue;
    }
    const end = start + whole.length;
    pair.lastIndex = end;
    while ((logins[login]?.end ?? end) <= start) login += 1;
    if ((logins[login]?.start ?? end) < end) continue;
    edits.push({ start, end, text: markLike(whole) });
    tell("key-name");
  }
  return edits;
}

const isNetrc = /^[ \t]*(?:machine[ \t]+\S|default\b)/m;
const wordAfter = /\b(password|account)\s+(\S+)/g;
/** Host, port, database, user, password. */
const pgpassLine =
  /^(?!#)((?:[^:\n\\]|\\.){1,256}:(?:\d{1,5}|\*):(?:(?:[^:\n\\]|\\.){1,256}:){2})([^\n\r]+)/gm;

/** Passwords of a netrc file, which stand behind a blank, and of a pgpass file, which have no name. */
function editsOfLogins(text: string, tell: (rule: string) => void): readonly Edit[] {
  const found = [
    ...(isNetrc.test(text) ? text.matchAll(wordAfter) : []),
    ...text.matchAll(pgpassLine),
  ].filter(([, , value = ""]) => value !== redactedMark);
  const edits = found.map(({ index, 0: whole, 2: value = "" }) => {
    const end = index + whole.length;
    return { start: end - value.length, end, text: redactedMark };
  });
  const apart = edits
    .sort((a, b) => a.start - b.start)
    .filter(({ start }, at) => start >= (edits[at - 1]?.end ?? 0));
  for (const _edit of apart) tell("key-name");
  return apart;
}

/** `a.b.api_key` is about its last part, `[x.api_keys]` about all below. */
function saysCredential(key: string, table: string): boolean {
  const last = key.split(/[.:/]/).at(-1) ?? "";
  const parent = (table.split(".").at(-1) ?? "").replaceAll(/["' ]/g, "");
  return (
    [key, last, parent].some(isCredentialName) ||
    last === "_auth" ||
    (/headers?$/i.test(parent) && isCredentialHeader(last))
  );
}

function isText(given: string): boolean {
  return given.startsWith('"') || given.startsWith("'");
}

function isQuoted(given: string): boolean {
  return isText(given) || given.startsWith("[");
}

function isNone(given: string): boolean {
  const inner = given.replace(/^(["'])(.*)\1$/s, "$2");
  return /^(?:|true|false|null|none|~|[|>][-+]?|&\S+)$/i.test(inner) || inner === redactedMark;
}

/** Quoted where the value was, so that the text is of its form still. */
function markLike(given: string): string {
  return isQuoted(given) ? `"${redactedMark}"` : redactedMark;
}
