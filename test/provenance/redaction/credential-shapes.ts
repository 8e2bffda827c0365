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

/** Letters of both cases and digits, as chance nearly always gives. */
const mixed = (characters: string, count: number): string =>
  `${pick(lower, 1)}${pick(digits, 1)}${pick(upper, 1)}${pick(characters, count - 3)}`;

const base64Url = (value: object): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");
const jwt = (): string =>
  `${base64Url({ alg: "HS256", typ: "JWT" })}.${base64Url({ sub: pick(word, 12), exp: 1 })}.${mixed(token, 43)}`;
const pem = (label: string): string =>
  `-----BEGIN ${label}-----\n${(pick(`${word}+/`, 256).match(/.{64}/g) ?? []).join("\n")}\n-----END ${label}-----`;
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
    Buffer.from(`user:${mixed(word, 20)}`).toString("base64"),
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
