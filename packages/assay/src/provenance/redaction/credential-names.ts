/** Squashed: in lower case, without what parts its words. */
const always =
  /apikey|secret|passw(?:or)?d|credential|authorization|bearer|cookie|accesskey|privatekey|signingkey|encryptionkey|accountkey|subscriptionkey|passphrase|connectionstring/;

/** What makes the word `token` a unit of text and not a credential. */
const beforeCount = new Set(
  "max min total per num eos bos pad unk mask sep cls stop start end special first last next image prompt completion input output cached reasoning thinking".split(
    " ",
  ),
);
const afterCount = new Set(
  "count counts limit limits budget usage ids length rate rates price cost size window type url uri endpoint".split(
    " ",
  ),
);
const beforeTokens = new Set(
  "access api auth bearer bot csrf deploy id oauth personal refresh registry secret service session".split(
    " ",
  ),
);

/** Short words that mean a credential only as the last of an environment variable's name. */
const lastOfVariable = new Set("key keys pass pat pwd auth dsn sas".split(" "));

/** The same few names come in every trial. */
const asked = new Map<string, boolean>();
const maxAsked = 4096;
const maxAskedLength = 100;

/** Whether the name of a setting or of an environment variable says that its value is a credential. */
export function isCredentialName(name: string): boolean {
  const known = asked.get(name);
  if (known !== undefined) return known;
  const answer = saysCredential(name);
  if (name.length > maxAskedLength) return answer;
  if (asked.size >= maxAsked) asked.clear();
  asked.set(name, answer);
  return answer;
}

function saysCredential(name: string): boolean {
  const words = wordsOf(name);
  if (always.test(words.join(""))) return true;
  if (words.some((word, index) => isTokenWord(word, words[index - 1], words[index + 1])))
    return true;
  const last = words.at(-1);
  if (words.length < 2 || last === undefined) return false;
  return last === "auth" || (/^[A-Z][A-Z0-9_]*$/.test(name) && lastOfVariable.has(last));
}

/** Header names are short, so a hint is enough. */
export function isCredentialHeader(name: string): boolean {
  return /auth|token|key|secret|credential|bearer|cookie|passw|session|signature/i.test(name);
}

/** The name in a `name=value` pair: in the query of a URL also short words, and the signatures of signed URLs. */
export function isCredentialParameter(name: string, isInUrl: boolean): boolean {
  if (isInUrl && /^(?:key|sig|code|auth|sas)$|signature$/i.test(name)) return true;
  return /^(?:pwd|pass)$/i.test(name) || isCredentialName(name);
}

function isTokenWord(word: string, before = "", after = ""): boolean {
  if (word === "token" || word.endsWith("token"))
    return !beforeCount.has(before) && !afterCount.has(after);
  return word === "tokens" && beforeTokens.has(before);
}

/** `AWS_SECRET_KEY`, `awsSecretKey`, `aws-secret.key` → aws, secret, key. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
