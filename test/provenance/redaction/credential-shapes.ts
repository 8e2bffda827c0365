import { generateKeyPairSync, randomInt } from "node:crypto";

/** A credential as somebody may have one, made when it is asked for: none stands in this repository. */
export interface Credential {
  readonly shape: string;
  /** What must be found nowhere. */
  readonly value: string;
  /** As it is met: alone where its form says what it is, else with its name or its address. */
  readonly text: string;
}

const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const lower = "abcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const word = upper + lower + digits;
const token = `${word}_-`;
const hex = "0123456789abcdef";

const pick = (characters: string, count: number): string =>
  Array.from({ length: count }, () => characters[randomInt(characters.length)]).join("");

/** Letters of both cases and digits, as chance nearly always gives: what has hardly a digit may be made of words. */
const mixed = (characters: string, count: number): string =>
  withDigits(
    () => `${pick(lower, 1)}${pick(digits, 1)}${pick(upper, 1)}${pick(characters, count - 3)}`,
  );

function withDigits(make: () => string): string {
  for (;;) {
    const made = make();
    if ((made.match(/[0-9]/g)?.length ?? 0) * 8 >= made.length) return made;
  }
}

const base64Url = (value: object): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");
const jwt = (): string =>
  `${base64Url({ alg: "HS256", typ: "JWT" })}.${base64Url({ sub: pick(word, 12), exp: 1 })}.${mixed(token, 43)}`;
const pem = (label: string): string =>
  `-----BEGIN ${label}-----\n${(pick(`${word}+/`, 256).match(/.{64}/g) ?? []).join("\n")}\n-----END ${label}-----`;
/** Each line of a key behind something, as tools show files. */
const shown =
  (around: (line: string, number: number) => string) => (): [string, (value: string) => string] => [
    pem("RSA PRIVATE KEY"),
    (value) =>
      value
        .split("\n")
        .map((line, at) => around(line, at + 1))
        .join("\n"),
  ];
const realPem = (): string =>
  generateKeyPairSync("ec", { namedCurve: "P-256" })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString()
    .trim();

const alone: Readonly<Record<string, () => string>> = {
  "openai, legacy": () => `sk-${mixed(word, 20)}T3BlbkFJ${pick(word, 20)}`,
  "openai, project": () => `sk-proj-${mixed(token, 74)}T3BlbkFJ${pick(word, 74)}`,
  "openai, service account": () => `sk-svcacct-${mixed(token, 58)}T3BlbkFJ${pick(word, 58)}`,
  anthropic: () => `sk-ant-api03-${mixed(token, 93)}AA`,
  "anthropic, oauth": () => `sk-ant-oat01-${mixed(token, 86)}`,
  openrouter: () => `sk-or-v1-${pick(hex, 64)}`,
  deepseek: () => `sk-${mixed(hex, 32)}`,
  langfuse: () =>
    `sk-lf-${mixed(hex, 8)}-${pick(hex, 4)}-${pick(hex, 4)}-${pick(hex, 4)}-${pick(hex, 12)}`,
  nvidia: () => `nvapi-${mixed(token, 64)}`,
  huggingface: () => `hf_${mixed(word, 34)}`,
  groq: () => `gsk_${mixed(word, 52)}`,
  replicate: () => `r8_${mixed(word, 37)}`,
  xai: () => `xai-${mixed(word, 80)}`,
  perplexity: () => `pplx-${mixed(word, 48)}`,
  together: () => `tgp_v1_${mixed(token, 43)}`,
  cerebras: () => `csk-${mixed(word, 48)}`,
  "aws, key id": () => `AKIA${pick(`${upper}234567`, 16)}`,
  "aws, temporary key id": () => `ASIA${pick(`${upper}234567`, 16)}`,
  "google, api key": () => `AIza${mixed(token, 35)}`,
  "google, oauth token": () => `ya29.${mixed(token, 100)}`,
  "google, client secret": () => `GOCSPX-${mixed(word, 28)}`,
  "github, personal": () => `ghp_${mixed(word, 36)}`,
  "github, oauth": () => `gho_${mixed(word, 36)}`,
  "github, server": () => `ghs_${mixed(word, 36)}`,
  "github, fine-grained": () => `github_pat_${mixed(word, 22)}_${pick(word, 59)}`,
  "gitlab, personal": () => `glpat-${mixed(word, 20)}`,
  "gitlab, deploy": () => `gldt-${mixed(word, 20)}`,
  "gitlab, runner": () => `glrt-${mixed(word, 20)}`,
  npm: () => `npm_${mixed(word, 36)}`,
  pypi: () => `pypi-AgEIcHlwaS5vcmc${mixed(token, 80)}`,
  rubygems: () => `rubygems_${mixed(hex, 48)}`,
  "slack, bot": () => `xoxb-${pick(digits, 12)}-${pick(digits, 12)}-${mixed(word, 24)}`,
  "slack, user": () =>
    `xoxp-${pick(digits, 12)}-${pick(digits, 12)}-${pick(digits, 12)}-${mixed(hex, 32)}`,
  "slack, webhook": () =>
    `https://hooks.slack.com/services/T${pick(upper, 8)}/B${pick(upper, 8)}/${mixed(word, 24)}`,
  stripe: () => `sk_live_${mixed(word, 24)}`,
  "stripe, restricted": () => `rk_live_${mixed(word, 24)}`,
  "stripe, webhook": () => `whsec_${mixed(word, 32)}`,
  sendgrid: () => `SG.${mixed(word, 22)}.${mixed(word, 43)}`,
  brevo: () => `xkeysib-${mixed(hex, 64)}-${pick(word, 16)}`,
  mailgun: () => `key-${pick(hex, 32)}`,
  twilio: () =>
    `SK${mixed(hex, 32)
      .toLowerCase()
      .replace(/[^0-9a-f]/g, "e")}`,
  telegram: () => `${1 + randomInt(9)}${pick(digits, 8)}:AA${mixed(word, 33)}`,
  "zapier, hook": () =>
    `https://hooks.zapier.com/hooks/catch/${pick(digits, 7)}/${pick(lower + digits, 7)}/`,
  "asana, personal token": () => `1/1${pick(digits, 15)}:${pick(hex, 32)}`,
  "asana, second form": () => `2/1${pick(digits, 15)}/1${pick(digits, 15)}:${pick(hex, 32)}`,
  "discord, webhook": () =>
    `https://discord.com/api/webhooks/${pick(digits, 18)}/${mixed(word, 68)}`,
  "azure, client secret": () => `${mixed(word, 3)}8Q~${mixed(word, 34)}`,
  shopify: () => `shpat_${pick(hex, 32)}`,
  square: () => `sq0atp-${mixed(word, 22)}`,
  digitalocean: () => `dop_v1_${pick(hex, 64)}`,
  databricks: () => `dapi${pick(hex, 32)}`,
  docker: () => `dckr_pat_${mixed(word, 27)}`,
  figma: () => `figd_${mixed(word, 43)}`,
  notion: () => `ntn_${pick(digits, 11)}${mixed(word, 35)}`,
  linear: () => `lin_api_${mixed(word, 40)}`,
  atlassian: () => `ATATT3xFfGF0${mixed(token, 180)}`,
  postman: () => `PMAK-${mixed(hex, 24)}-${pick(hex, 34)}`,
  grafana: () => `glsa_${mixed(word, 32)}_${pick(hex, 8)}`,
  sentry: () => `sntrys_${mixed(word, 80)}`,
  "new relic": () => `NRAK-${mixed(upper + digits, 27).toUpperCase()}`,
  vault: () => `hvs.${mixed(word, 92)}`,
  doppler: () => `dp.pt.${mixed(word, 43)}`,
  pulumi: () => `pul-${pick(hex, 40)}`,
  planetscale: () => `pscale_tkn_${mixed(word, 43)}`,
  langsmith: () => `lsv2_pt_${pick(hex, 32)}_${pick(hex, 10)}`,
  pinecone: () => `pcsk_${mixed(word, 40)}`,
  tavily: () => `tvly-${mixed(word, 32)}`,
  vercel: () => `vcp_${mixed(word, 24)}`,
  airtable: () => `pat${mixed(word, 14)}.${pick(hex, 64)}`,
  age: () => `AGE-SECRET-KEY-1${pick(upper + digits, 58)}`,
  jwt,
  "private key": realPem,
  "private key, rsa": () => pem("RSA PRIVATE KEY"),
  "private key, openssh": () => pem("OPENSSH PRIVATE KEY"),
  "private key, pgp": () => pem("PGP PRIVATE KEY BLOCK"),
};

const named: Readonly<
  Record<string, () => readonly [value: string, text: (value: string) => string]>
> = {
  "aws, secret key": () => [mixed(`${word}+/`, 40), (value) => `AWS_SECRET_ACCESS_KEY=${value}`],
  "azure, storage key": () => [
    `${mixed(`${word}+/`, 86)}==`,
    (value) => `AccountName=files;AccountKey=${value};EndpointSuffix=core`,
  ],
  "datadog, api key": () => [mixed(hex, 32).toLowerCase(), (value) => `"dd_api_key": "${value}"`],
  "bearer token": () => [mixed(word, 40), (value) => `Authorization: Bearer ${value}`],
  "basic authorization": () => [
    withDigits(() => Buffer.from(`user:${mixed(word, 20)}`).toString("base64")),
    (value) => `authorization: Basic ${value}`,
  ],
  "header of a key": () => [mixed(word, 32), (value) => `X-Api-Key: ${value}`],
  "password of a database": () => [
    mixed(word, 18),
    (value) => `postgres://app:${value}@db.internal:5432/app`,
  ],
  "token in an address": () => [mixed(hex, 32), (value) => `https://${value}@git.internal/a/b.git`],
  "signature of an address": () => [
    mixed(word, 44),
    (value) => `https://files.internal/a?sv=2024&sig=${value}&sp=r`,
  ],
  "client secret": () => [mixed(word, 40), (value) => `client_secret: '${value}'`],
  "private key, with numbers of lines": shown((line, number) => `  ${number} | ${line}`),
  "private key, quoted": shown((line) => `> ${line}`),
  "private key, in a diff": shown((line) => `+${line}`),
  "private key, indented": shown((line) => `      ${line}`),
  "private key, in HTML": shown((line) => `<span class="line">${line}</span><br/>`),
  "private key, in code": shown((line) => `  "${line}\\n" +`),
  "private key, found by grep": shown((line, number) => `deploy/server.pem:${number}:${line}`),
  "private key, in a log": shown((line, number) => `2026-01-02T03:04:0${number}Z web_1 | ${line}`),
  "private key, in a list": () => [
    pem("PRIVATE KEY"),
    (value) => JSON.stringify(value.split("\n")),
  ],
  "private key, percent-encoded": () => [pem("PRIVATE KEY"), (value) => encodeURIComponent(value)],
  "private key, with headers": () => [
    pem("RSA PRIVATE KEY"),
    (value) =>
      value.replace("KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n"),
  ],
  "private key, its end alone": () => [
    pem("EC PRIVATE KEY"),
    (value) => value.split("\n").slice(1).join("\n"),
  ],
  "private key, of SSH2": () => [
    pem("SSH2 ENCRYPTED PRIVATE KEY"),
    (value) =>
      value
        .replaceAll("-----", "----")
        .replaceAll(/----(?=B|E)/g, "---- ")
        .replaceAll("KEY----", "KEY ----"),
  ],
  "private key, of PuTTY": () => [
    pem("PRIVATE KEY"),
    (value) => `Private-Lines: 4\n${value.split("\n").slice(1, -1).join("\n")}\nPrivate-MAC: 00`,
  ],
  "aws, secret in CSV": () => [
    mixed(`${word}+/`, 40),
    (value) => `User,Access key ID,Secret\nbob,AKIA${pick(upper, 16)},${value}`,
  ],
  "aws, secret in a table": () => [
    mixed(`${word}+/`, 40),
    (value) => `| bob | ${value} | AKIA${pick(upper, 16)} |`,
  ],
  "aws, secret on the next line": () => [
    mixed(`${word}+/`, 40),
    (value) => `AKIA${pick(upper, 16)}\n${value}`,
  ],
  "behind a letter: github": () => [`ghp_${mixed(word, 36)}`, (value) => `d${value}`],
  "behind letters: openai": () => [`sk-proj-${mixed(token, 74)}`, (value) => `key${value}`],
  "behind a letter: aws": () => [`AKIA${pick(upper, 16)}`, (value) => `id${value}`],
  "behind a letter: google": () => [`AIza${mixed(token, 35)}`, (value) => `x${value}`],
  "behind a letter: jwt": () => [jwt(), (value) => `a${value}`],
  "login of curl": () => [
    mixed(word, 18),
    (value) => `curl -s -u bob:${value} https://api.internal`,
  ],
  "login of curl, quoted": () => [
    mixed(word, 18),
    (value) => `curl -X POST \\\n  --user "bob:${value}" https://api.internal`,
  ],
  netrc: () => [mixed(word, 20), (value) => `machine api.internal login bob password ${value}`],
  "block of YAML": () => [mixed(word, 24), (value) => `client_secret: |\n    ${value}\nname: x`],
  "name and value of YAML": () => [
    mixed(word, 24),
    (value) => `- name: SERVICE_API_KEY\n  value: ${value}`,
  ],
  "value of a flag": () => [mixed(word, 24), (value) => `deploy --api-key ${value} --force`],
  "sk, short": () => {
    const value = `sk-${mixed(word, 20)}`;
    return [value, () => value];
  },
};

/** One of each shape, new ones with every call. */
export function makeCredentials(): readonly Credential[] {
  return [
    ...Object.entries(alone).map(([shape, make]) => {
      const value = make();
      return { shape, value, text: value };
    }),
    ...Object.entries(named).map(([shape, make]) => {
      const [value, textOf] = make();
      return { shape, value, text: textOf(value) };
    }),
  ];
}

/** The lines of a key are as secret as the key. */
export function partsOf({ value }: Credential): readonly string[] {
  const lines = value.split("\n").filter((line) => line.length >= 40);
  return lines.length === 0 ? [value] : lines;
}
