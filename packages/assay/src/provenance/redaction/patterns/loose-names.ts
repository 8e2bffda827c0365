import { isCredentialName, isCredentialParameter } from "../credential-names.ts";
import { isDigit } from "./before.ts";

/** So much of what stands before a value is looked at; a stream sees as much behind its blocks. */
const reach = 240;

const name = String.raw`(?<![A-Za-z0-9])([A-Za-z][\w.-]{0,60})`;
const closers = "[\"'`\\])}]{0,4}";
/** Of a text in code, with the letter that may stand before it, or of a list. */
const openers = "(?:[brfu]?[\"'`]|[[({]){0,3}";
const scheme = String.raw`(?:(?:bearer|basic|token|api-?key)\s{1,4}|base64:|string\(\d{1,5}\)\s{1,4}["'])?`;
const spoken = [
  "(?:api|access|secret|private|auth|bearer|session|refresh|client|deploy|signing|encryption)[ -]?(?:key|token|secret)",
  "password|passphrase|secret|token",
].join("|");

interface Naming {
  /** Ends with the value, and its name is the first group. */
  readonly whole: RegExp;
  /** What of it is behind the name: looked for first, for that is quick and mostly not there. */
  readonly ending: RegExp;
}

/** What stands before a value, as far as it names it: the part with the name, and what is behind it. */
const namings: readonly Naming[] = [
  // `config["api_key"] = "...`, `[API_KEY] => ...`, `X-Api-Key:[...`, `"apiKey": b"...`
  [String.raw`${name}${closers}\s{0,40}`, String.raw`(?::=|=>|->|[:=])\s{0,40}${openers}${scheme}`],
  // `("X-Api-Key", "...`, of a list, a call or a pair
  [String.raw`["'\x60]${name}["'\x60]\s{0,4}`, String.raw`,\s{0,4}[brfu]?["'\x60]`],
  // `setenv API_KEY ...`, `api_key | ...`, `access_token    ...`
  [String.raw`(?:^|[\s|"'.])${name}[ \t]{0,39}`, String.raw`[ \t](?:\|[ \t]{0,40})?["'\x60]?`],
  // `<key>apiKey</key><string>...`, a part of a form, a field of a page, the body of a secret
  [`<key>${name}`, String.raw`</key>\s{0,20}<string>`],
  [String.raw`\bname=["']?${name}["']?[^<>\n]{0,100}`, String.raw`\bvalue=["']?`],
  [String.raw`\bname=["']?${name}["']?`, String.raw`\s{2,8}`],
  [String.raw`${name}["']?\s{1,4}`, `--(?:body|value|from-literal)[ =]["']?`],
].map(([lead = "", ending = ""]) => ({
  whole: new RegExp(`${lead}${ending}$`, "i"),
  ending: new RegExp(`${ending}$`, "i"),
}));
/** Longer than any ending. */
const endingReach = 100;

/** What says by itself that a credential follows. */
const sayings: readonly RegExp[] = [
  // `The API key is ...`, "use the token `..."
  String.raw`(?:^|[^\w.-])(?:${spoken})(?: (?:is|was|to|as))?:?[*_]{0,3}\s{1,4}["'\x60*]{0,3}`,
  // Of a header, what follows the first of its parts as well.
  String.raw`\bcookie["']?\s{0,4}[:=]\s{0,4}["'[]?(?:[^;\n{}]{0,100};\s?){0,8}[\w.-]{1,60}=`,
  String.raw`\s(?:-b|--cookie)[\s=]{0,2}["']?(?:[^;\n{}]{0,100};\s?){0,8}[\w.-]{1,60}=`,
  String.raw`\bauthorization["'\])]{0,3}\s{0,4}[:=,]\s{0,4}["'[(]{0,3}(?:digest|aws4-[\w-]{1,20}|hawk|signature|oauth|token|api-?key)\s[^\n{}]{0,200}`,
  String.raw`\bConvertTo-SecureString\s{1,4}(?:-String\s)?["']?`,
].map((source) => new RegExp(`${source}$`, "i"));

/** Of every name that says credential a part: most digests and ids have none of them before them. */
const hint = /key|token|secret|pass|pwd|auth|cookie|cred|bearer|code|sig|sas|securestring|curl/i;
const named = /(?:^|[._-])pass$|^auth$|pre-?shared-?key|^device_code$|^session_?token$/i;
const single = /^(?:token|secret|password|passwd|passphrase)$/i;

/**
 * Whether what stands before a value that looks made by chance names it as a credential, in notations with brackets, commas,
 * blanks, words, colours, escapes and entities between the two.
 */
export function isNamedBefore(text: string, at: number): boolean {
  const given = text.slice(Math.max(0, at - reach), at);
  if (!hint.test(given)) return false;
  const before = isPlain.test(given) ? given : plain(given);
  const end = before.slice(-endingReach);
  return (
    sayings.some((saying) => saying.test(before)) ||
    namings.some(({ whole, ending }) => ending.test(end) && saysName(whole, before))
  );
}

function saysName(naming: RegExp, before: string): boolean {
  const found = naming.exec(before);
  if (found === null) return false;
  const [whole, given = ""] = found;
  const first = before.charAt(found.index + whole.indexOf(given) - 1);
  return (
    isCredentialParameter(given, first === "?" || first === "&") ||
    isCredentialName(given) ||
    named.test(given) ||
    single.test(given)
  );
}

/** Whether something stands between a place and what is before: a mark, an escape, a colour. */
export function mayBeNamed(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  // Behind most joints of a run: letters and marks that are of it.
  if (!isOfToken(before)) return at > 0;
  if (!isDigit(before) && !isLetter(before)) return false;
  return (
    isPercentEncoded(text, at) || isEscape.test(text.slice(Math.max(0, at - longestEscape), at))
  );
}

const longestEscape = 16;
const isEscape = /\[[\d;]{0,12}m$|\\[nrt]$|\\u00[0-9a-f]{2}$/i;

function isOfToken(code: number): boolean {
  return isLetter(code) || isDigit(code) || joints.includes(code);
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

const joints: readonly number[] = [..."_+/.~-"].map((joint) => joint.charCodeAt(0));

/** Whether a character that is percent-encoded stands right before a place. */
export function isPercentEncoded(text: string, at: number): boolean {
  return text.charAt(at - 3) === "%" && /^[0-9a-f]{2}$/i.test(text.slice(at - 2, at));
}

const entities: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  "#34": '"',
  "#39": "'",
  "#x22": '"',
  "#x27": "'",
  "#61": "=",
  amp: "&",
};

/** Without any mark that an escape, a colour or an entity begins with. */
const isPlain = /^[ !-$'-[\]-~\s]*$/;

/** What is written, without colours, escapes and entities. */
function plain(text: string): string {
  return text
    .replace(/(?:[^ -~\s]|\\+(?:u001b|x1b|033|e))\[[\d;]{0,12}[A-Za-z]/gi, "")
    .replace(
      /\\+u00([0-7][0-9a-f])|%([2-7][0-9a-f])/gi,
      (_found, unicode?: string, percent?: string) =>
        String.fromCharCode(Number.parseInt(unicode ?? percent ?? "", 16)),
    )
    .replace(
      /&(quot|apos|amp|#34|#39|#x22|#x27|#61);/gi,
      (_found, entity: string) => entities[entity.toLowerCase()] ?? "",
    )
    .replace(/\\+[nr]/g, "\n")
    .replace(/\\+t/g, "\t")
    .replace(/\\+(?=["'/`])/g, "");
}
