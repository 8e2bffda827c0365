import type { Match } from "../search.ts";
import { CharacterRuns } from "./character-runs.ts";
import { loginsIn } from "./command-logins.ts";
import { commandPasswordsIn } from "./command-passwords.ts";
import { WebTokens } from "./jwt.ts";
import { LintRequests } from "./lint-requests.ts";
import { namedValueAt } from "./named-values.ts";
import type { PatternMatch } from "./pattern-match.ts";
import { prefixRules, type Tail } from "./prefixes.ts";
import { encodedKeyAt, encodedKeyPrefixes, privateKeysIn } from "./private-keys.ts";
import { isByChance, looksRandom } from "./randomness.ts";
import { lintPrefixes } from "./secretlint.ts";
import { secretsBeside } from "./secrets-beside.ts";
import { strongPasswordsIn } from "./strong-passwords.ts";
import { isGlued, minRun, someTokenStart } from "./token-starts.ts";
import { userInfoIn } from "./user-info.ts";

/** What is known of one text while it is searched. */
interface Scan {
  readonly text: string;
  readonly runs: CharacterRuns;
  readonly webTokens: WebTokens;
}

function scanOf(text: string): Scan {
  const runs = new CharacterRuns(text);
  return { text, runs, webTokens: new WebTokens(text, runs) };
}

/** What may begin with a prefix. */
interface Probe {
  readonly rule: string;
  /** The end of the credential that begins at a place; -1 when there is none. */
  readonly endAt: (scan: Scan, at: number) => number;
  /** One of secretlint's rules is asked, about the whole text. */
  readonly isLint: boolean;
}

const probes = new Map<number, Probe[]>();
/** Which keys there are, in a table that is faster to ask than the map. */
const isKnownKey = new Uint8Array(1 << 12);

for (const { rule, prefixes, tail } of prefixRules)
  for (const prefix of prefixes)
    addProbe(prefix, { rule, endAt: endOf(prefix, tail), isLint: false });
for (const [rule, { prefixes, tail }] of Object.entries(lintPrefixes))
  for (const prefix of prefixes)
    addProbe(prefix, { rule, endAt: endOf(prefix, { pattern: tail }), isLint: true });
addProbe("eyJ", { rule: "jwt", endAt: ({ webTokens }, at) => webTokens.endAt(at), isLint: false });
for (const prefix of encodedKeyPrefixes)
  addProbe(prefix, {
    rule: "private-key",
    endAt: ({ text }, at) => encodedKeyAt(text, at),
    isLint: false,
  });

/** What is removed may make a place the start of a token; more rounds than these nobody needs who does not play tricks. */
const maxRounds = 4;

/**
 * All that looks like a credential in a text, in no order; matches may overlap. What is `known` is removed anyway: where
 * that makes a place the start of a token, one is looked for there as well, so that nothing more is found next time.
 */
export function patternsIn(text: string, known: readonly Match[]): readonly PatternMatch[] {
  const found = patternsOnce(text);
  for (let round = 1; round < maxRounds && found.length + known.length > 0; round += 1) {
    const more = patternsOnce(withoutParts(text, [...known, ...found]));
    if (more.length === 0) break;
    found.push(...more);
  }
  return found;
}

/** Of the same length, so that places stay what they are. */
function withoutParts(text: string, parts: readonly Match[]): string {
  let result = "";
  let at = 0;
  for (const { start, end } of [...parts].sort((a, b) => a.start - b.start)) {
    if (end <= at) continue;
    const from = Math.max(at, start);
    result += `${text.slice(at, from)}${"<".repeat(end - from - 1)}>`;
    at = end;
  }
  return result + text.slice(at);
}

function patternsOnce(text: string): PatternMatch[] {
  const found: PatternMatch[] = [];
  const scan = scanOf(text);
  const lints = new LintRequests();
  let covered = 0;
  someTokenStart(text, (at, end) => {
    if (at < covered) return false;
    let match = credentialAt(scan, { at, end }, lints);
    while (match !== null) {
      found.push(match);
      covered = match.end;
      match = credentialAt(scan, { at: match.end, end }, lints);
    }
    return false;
  });
  found.push(...lints.matchesIn(text));
  found.push(...secretsBeside(text, found));
  for (const { start, end } of userInfoIn(text)) found.push({ rule: "url-user-info", start, end });
  for (const { start, end } of passwordsIn(text)) found.push({ rule: "named-value", start, end });
  for (const { start, end } of privateKeysIn(text)) found.push({ rule: "private-key", start, end });
  return found;
}

/** What begins at a place of a run; secretlint's rules that may know more are noted. */
function credentialAt(
  scan: Scan,
  { at, end }: { readonly at: number; readonly end: number },
  lints: LintRequests,
): PatternMatch | null {
  if (end - at < minRun) return null;
  const { text } = scan;
  for (const { rule, endAt, isLint } of probesAt(text, at)) {
    const credentialEnd = endAt(scan, at);
    if (credentialEnd === -1) continue;
    if (!isLint) return { rule, start: at, end: credentialEnd };
    lints.add(rule, at);
    const whole = gluedEnd(scan, at);
    if (whole !== -1) return { rule, start: at, end: whole };
  }
  return unprefixedAt(text, at, end);
}

/** Secretlint's rules know no token behind a letter: it must be the id of a key or look like chance then. */
function gluedEnd({ text, runs }: Scan, at: number): number {
  if (!isGlued(text, at)) return -1;
  keyId.lastIndex = at;
  if (keyId.test(text)) return keyId.lastIndex;
  const end = runs.endAt(at, "token");
  return end - at >= minGlued && looksRandom(text.slice(at, end)) ? end : -1;
}

const minGlued = 20;
const keyId = /A(?:KI|SI)A[A-Z0-9]{16}(?![A-Za-z0-9])/y;

/** False when a text, and the texts in the JSON that it is, surely hold no token and no password with a name. */
export function mayHoldToken(text: string): boolean {
  // Made when first needed: few texts have a place where a prefix stands.
  let scan: Scan | null = null;
  const isCredential = (at: number, end: number): boolean => {
    for (const { endAt } of probesAt(text, at)) {
      scan ??= scanOf(text);
      if (endAt(scan, at) !== -1) return true;
    }
    return unprefixedAt(text, at, end) !== null;
  };
  return someTokenStart(text, isCredential) || strongPasswordsIn(text).length > 0;
}

/** The same of what more than a single word tells: addresses, commands, blocks of a key. No id is any of them. */
export function mayHoldPhrase(text: string): boolean {
  return (
    userInfoIn(text).length > 0 ||
    loginsIn(text).length > 0 ||
    commandPasswordsIn(text).length > 0 ||
    privateKeysIn(text).length > 0
  );
}

function unprefixedAt(text: string, at: number, end: number): PatternMatch | null {
  const before = text.charCodeAt(at - 1);
  const isTelegram = before === colon && text.charAt(at) === "A";
  const isAzure = text.charCodeAt(at + 5) === tilde;
  const marked = isTelegram ? telegramTokenAt(text, at) : isAzure ? azureSecretAt(text, at) : null;
  return marked ?? namedValueAt(text, at, end);
}

/** Those that a command or a setting is given, whatever they are made of. */
function passwordsIn(text: string): readonly Match[] {
  return [...loginsIn(text), ...commandPasswordsIn(text), ...strongPasswordsIn(text)];
}

const colon = 0x3a;
const tilde = 0x7e;
const none: readonly Probe[] = [];

function probesAt(text: string, at: number): readonly Probe[] {
  const key = keyAt(text, at);
  return isKnownKey[key & (isKnownKey.length - 1)] === 1 ? (probes.get(key) ?? none) : none;
}

function addProbe(prefix: string, probe: Probe): void {
  const key = keyAt(prefix, 0);
  isKnownKey[key & (isKnownKey.length - 1)] = 1;
  probes.set(key, [...(probes.get(key) ?? []), probe]);
}

/** Of the first three characters, which every prefix has. */
function keyAt(text: string, at: number): number {
  return (text.charCodeAt(at) << 14) ^ (text.charCodeAt(at + 1) << 7) ^ text.charCodeAt(at + 2);
}

function endOf(prefix: string, tail: Tail): Probe["endAt"] {
  if ("pattern" in tail) return endOfPattern(prefix, tail);
  const { least, of, isRandom = false } = tail;
  return ({ text, runs }, at) => {
    const from = at + prefix.length;
    if (!text.startsWith(prefix, at)) return -1;
    const end = runs.endAt(from, of);
    if (end - from < least && !(end - from >= minCut && cutMark.test(text.slice(end, end + 3))))
      return -1;
    return isRandom && !isByChance(text.slice(from, Math.min(end, from + telling))) ? -1 : end;
  };
}

/** How much of a token is there where a text was cut behind it; the mark, as text and as bytes. */
const minCut = 8;
const cutMark = /^(?:\u2026|\u00e2\u0080\u00a6)/;

/** So many characters tell whether a tail is made by chance. */
const telling = 64;

function endOfPattern(
  prefix: string,
  { pattern: tail, isRandom = false }: Extract<Tail, { pattern: string }>,
): Probe["endAt"] {
  const pattern = new RegExp(prefix.replaceAll(".", "\\.") + tail, "y");
  return ({ text }, at) => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return -1;
    const end = pattern.lastIndex;
    return isRandom && !looksRandom(text.slice(at + prefix.length, end)) ? -1 : end;
  };
}

const telegramTail = /AA[\w-]{32,36}(?![\w-])/y;

/** `123456789:AA...`: of a bot. */
function telegramTokenAt(text: string, at: number): PatternMatch | null {
  const [id = ""] = /(?<![0-9])[0-9]{8,10}:$/.exec(text.slice(Math.max(0, at - 12), at)) ?? [];
  telegramTail.lastIndex = at;
  if (id === "" || !telegramTail.test(text)) return null;
  return { rule: "telegram", start: at - id.length, end: telegramTail.lastIndex };
}

const azureSecret = /[A-Za-z0-9_.~-]{3}[0-9]Q~[A-Za-z0-9_.~-]{31,37}(?![A-Za-z0-9_.~-])/y;

/** Of an application of Azure: marked in its middle. */
function azureSecretAt(text: string, at: number): PatternMatch | null {
  azureSecret.lastIndex = at;
  return azureSecret.test(text) ? { rule: "azure", start: at, end: azureSecret.lastIndex } : null;
}
