import { describe, expect, it } from "vitest";

import { createRedactor } from "../../../packages/assay/src/provenance/redaction/redactor.ts";

/** Put together here, so that none stands in this repository. */
const key = ["q7Rk2Lm9Xw", "4Tz8VbN3sJ"].join("");
const short = ["zK4", "vQ9w"].join("");
const strong = ["Tr0ub", "!dor3"].join("");
const login = Buffer.from(`bob:${key}`).toString("base64");
const base64 = `/${Buffer.from(`${key}${key}`).toString("base64").slice(1)}`;
const hex = ["7a3c5d58426d8609", "cad57c292f6e15ec"].join("");

const notations: Readonly<Record<string, (value: string) => string>> = {
  "a member in brackets": (v) => `os.environ["API_KEY"] = "${v}"`,
  "a member in brackets of a header": (v) => `headers['X-Api-Key'] = '${v}'`,
  "a call": (v) => `os.Setenv("API_KEY", "${v}")`,
  "a pair in a list": (v) => `[('x-api-key', '${v}'), ('accept', '*/*')]`,
  "bytes of Python": (v) => `{b'x-api-key': b'${v}'}`,
  "raw headers": (v) => `rawHeaders: [ 'X-Api-Key', '${v}', 'Accept', '*/*' ]`,
  "a list of Go": (v) => `map[Accept:[*/*] X-Api-Key:[${v}]]`,
  "an array of PHP": (v) => `["API_KEY"]=>\n  string(20) "${v}"`,
  "an array of PHP, printed": (v) => `[API_KEY] => ${v}`,
  "a constant of PHP": (v) => `define('AUTH_KEY', '${v}');`,
  "a variable of csh": (v) => `setenv API_KEY ${v}`,
  "a variable of fish": (v) => `set -gx MY_TOKEN ${v}`,
  "a file of Docker": (v) => `ENV SERVICE_API_KEY ${v}`,
  "what aws is told": (v) => `aws configure set aws_secret_access_key ${v}`,
  "what git is told": (v) => `git config --global gitlab.token ${v}`,
  "what gh is told": (v) => `gh secret set MY_TOKEN --body ${v}`,
  "a table": (v) => `| API_KEY | ${v} |`,
  "a table of psql": (v) => ` api_key | ${v}\n`,
  "a table of vault": (v) => `token                ${v}\ntoken_accessor       x`,
  "columns apart by tabs": (v) => `API_KEY\t${v}`,
  "a sentence": (v) => `The API key is ${v}.`,
  "a sentence about a password": (v) => `The password is ${v} now`,
  "a sentence with code": (v) => `Use token \`${v}\` to log in`,
  "a title": (v) => `**API Key:** ${v}`,
  "a property list": (v) => `<key>apiKey</key>\n<string>${v}</string>`,
  "a field of a page": (v) => `<input name="password" type="password" value="${v}">`,
  "a part of a form": (v) => `Content-Disposition: form-data; name="api_key"\r\n\r\n${v}\r\n`,
  "a string of PowerShell": (v) => `ConvertTo-SecureString "${v}" -AsPlainText`,
  "quotes as \\u escapes": (v) => `{\\u0022api_key\\u0022:\\u0022${v}\\u0022}`,
  "entities of HTML": (v) => `{&quot;api_key&quot;:&quot;${v}&quot;}`,
  "percent-encoded JSON": (v) => `q=%7B%22api_key%22%3A%22${v}%22%2C%22page%22%3A1%7D`,
  "colours around the name": (v) => `\u001b[36mapi_key\u001b[0m=\u001b[32m${v}\u001b[0m`,
  "colours of JSON": (v) =>
    `\u001b[34;1m"api_key"\u001b[0m\u001b[1m:\u001b[0m \u001b[32m"${v}"\u001b[0m`,
  "a later cookie": (v) => `Cookie: lang=en; theme=dark; sid=${v}`,
  "a cookie for curl": (v) => `curl -b 'sid=${v}' https://host.example`,
  "the code of a login": (v) => `https://app.example/cb?code=${v}&state=x`,
  "a scheme that is not Bearer": (v) => `Authorization: ApiKey ${v}`,
  "a scheme called token": (v) => `authorization: token ${v}`,
  "a part of a header": (v) => `Authorization: Digest username="bob", response="${v}"`,
  "a key of WireGuard": (v) => `[Peer]\nPresharedKey = ${v}`,
  "a name that ends in pass": (v) => `ansible_become_pass: ${v}`,
  "the key of an application": (v) => `APP_KEY=base64:${v}`,
};

const others: Readonly<Record<string, readonly [value: string, text: (value: string) => string]>> =
  {
    "the login of a registry": [login, (v) => `{"auths":{"reg.example":{"auth":"${v}"}}}`],
    "the login of npm": [login, (v) => `//reg.example/:_auth=${v}`],
    "a value that begins with a capital A": [`A${key}`, (v) => `password:${v}`],
    "a value with a tilde": [`${key.slice(0, 5)}~${key}`, (v) => `API_KEY=${v}`],
    "base64 that begins with a slash": [base64, (v) => `AccountKey=${v};EndpointSuffix=x`],
    "hex behind a token's name": [hex, (v) => `Authorization: token ${v}`],
    sshpass: [short, (v) => `sshpass -p ${v} ssh bob@host.example`],
    "sshpass, quoted": [short, (v) => `sshpass -p '${v}' ssh bob@host.example`],
    "redis-cli": [short, (v) => `redis-cli -h cache -a ${v} ping`],
    mysql: [short, (v) => `mysql -u root -p${v} shop`],
    ldapsearch: [short, (v) => `ldapsearch -D cn=admin -w ${v} -b dc=x`],
    smbclient: [short, (v) => `smbclient //srv/share -U bob%${v}`],
    lftp: [short, (v) => `lftp -u bob,${v} ftp.example`],
    "docker login": [short, (v) => `docker login -u bob -p ${v} reg.example`],
    "a strong password that is short": [strong, (v) => `DB_PASSWORD=${v}\nDB_HOST=db`],
    "a strong password in code": [strong, (v) => `{ password: "${v}", user: "bob" }`],
    tailscale: [`tskey-auth-${key}CNTRL-${key}`, (v) => `up with ${v} now`],
    terraform: [`atlasv1.${key}${key}${key}`, (v) => `got ${v} back`],
    fly: [`fm2_${key}${key}`, (v) => `got ${v} back`],
    "doppler, of a configuration": [`dp.st.dev.${key}${key}`, (v) => `got ${v} back`],
    supabase: [`sb_secret_${key}`, (v) => `got ${v} back`],
    "google, refresh token": [`1//0${key}${key}${key}`, (v) => `got ${v} back`],
    "slack, workflow": [
      `T4AGJ336CC/A4H214KJEC/115427153639904179/${key}`,
      (v) => `https://hooks.slack.com/workflows/${v}`,
    ],
    teams: [hex, (v) => `https://x.webhook.office.com/webhookb2/a@b/IncomingWebhook/${v}`],
    "openai, in a browser": [key, (v) => `Sec-WebSocket-Protocol: openai-insecure-api-key.${v}`],
  };

const cases = [
  ...Object.entries(notations).map(([what, text]) => [what, key, text(key)] as const),
  ...Object.entries(others).map(([what, [value, text]]) => [what, value, text(value)] as const),
];

const redactor = createRedactor({ secrets: [] });
const redactBytes = (text: string, size: number): string => {
  const stream = redactor.stream();
  const bytes = Buffer.from(text);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size)
    parts.push(stream.push(bytes.subarray(at, at + size)));
  return Buffer.concat([...parts, stream.end()]).toString();
};

describe("a credential whose name stands before it in another notation", () => {
  it.each(cases)("is known by it: %s", (_what, value, text) => {
    const clean = redactor.text(text);

    expect(clean).not.toContain(value);
    expect(clean).toContain("<redacted>");
    expect(redactor.text(clean)).toBe(clean);
    expect(redactBytes(text, 7)).toBe(clean);
    expect(redactor.text(JSON.stringify({ log: text }))).not.toContain(value);
    expect(redactor.mayContain(JSON.stringify({ log: text }))).toBe(true);
  });

  it("loses its value alone, and what stands around it stays", () => {
    for (const [what, text] of Object.entries(notations))
      expect(redactor.text(text(key)), what).toBe(text("<redacted>"));
  });

  it("is known across the border of what a stream sees at once", () => {
    for (const [what, value, text] of cases) {
      const at = 64 * 1024 - 1 - text.indexOf(value);
      expect(
        redactBytes(`${"lorem ipsum ".repeat(6000).slice(0, at)}\n${text}`, 9973),
        what,
      ).not.toContain(value);
    }
  });
});

it.each([
  `the commit ${hex} and the tokens 9f86d081884c7d65 of ${hex}`,
  `cache_key ${hex}, primary_key: ${hex}, key | ${hex}`,
  "token.tagName = this.lastStartTagName; let rootToken = addMissingDotStar(tokens);",
  'const password = passwordOf(user), PASSWORD_MIN=8; password: "${PASSWORD}"',
  'assert password == "hunter2"; password: str = Field(min_length=8)',
  "docker login -u $USER -p $PASS; mysql -p -h host; redis-cli -a ${REDIS}",
  'mongodump --port 27017 -p ; sshpass -e ssh host; ldapsearch -w "$PW"',
  "Cookie: lang=en; theme=dark",
  `call_id ${hex} session_id=${hex}`,
  "auth: none, auth=basic, { auth: 'bob:pass' }",
  "API_KEY /etc/keys/of/2024/service/v1b2/key.pem",
  `%22id%22%3A%22${hex}%22`,
])("what only looks so stays as it is: %s", (text) => {
  expect(redactor.text(text)).toBe(text);
  expect(redactor.mayContain(JSON.stringify(text))).toBe(false);
});
