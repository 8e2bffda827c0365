import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { isCredentialName } from "../../../packages/assay/src/provenance/redaction/credential-names.ts";
import { redactSettings } from "../../../packages/assay/src/provenance/redaction/key-rules.ts";
import { withoutCredentials } from "../../../packages/assay/src/provenance/redaction/origin-url.ts";
import { createRedactor } from "../../../packages/assay/src/provenance/redaction/redactor.ts";
import type { JsonObject } from "../../../packages/assay/src/support/json.ts";

const hidden = "<redacted>";

describe("settings without their credentials", () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      "a key beside others",
      { model: { api_key: "sk", temperature: 0.7 } },
      { model: { api_key: hidden, temperature: 0.7 } },
    ],
    ["a token of the environment", { env: { HF_TOKEN: "x" } }, { env: { HF_TOKEN: hidden } }],
    [
      "a secret deep inside",
      { agent: { nested: { secret: "x" } } },
      { agent: { nested: { secret: hidden } } },
    ],
    [
      "a key in a list of objects",
      { models: [{ name: "m", api_key: "k" }] },
      { models: [{ name: "m", api_key: hidden }] },
    ],
    ["a list under a marked key", { api_keys: ["k"] }, { api_keys: hidden }],
    [
      "an object under a marked key",
      { secret: { host: "h", deep: [{ x: 1 }] } },
      { secret: { host: hidden, deep: hidden } },
    ],
    ["a marked key under another", { auth: { token: "x" } }, { auth: { token: hidden } }],
    ["a number under a marked key", { password: 12345678 }, { password: hidden }],
    ["nested lists", { all: [[{ api_key: "k" }]] }, { all: [[{ api_key: hidden }]] }],
    ["camelCase", { apiKey: "k", accessToken: "t" }, { apiKey: hidden, accessToken: hidden }],
    ["kebab-case", { "x-api-key": "k" }, { "x-api-key": hidden }],
    ["authorization", { authorization: "Bearer x" }, { authorization: hidden }],
    ["bearer", { bearer: "x" }, { bearer: hidden }],
    ["cookie", { cookie: "x", "Set-Cookie": "y" }, { cookie: hidden, "Set-Cookie": hidden }],
    ["access_key", { access_key: "x" }, { access_key: hidden }],
    ["private_key", { private_key: "x" }, { private_key: hidden }],
    ["passphrase", { passphrase: "x" }, { passphrase: hidden }],
    [
      "a token without a separator",
      { authtoken: "x", hftoken: "y" },
      { authtoken: hidden, hftoken: hidden },
    ],
    [
      "a variable that ends in key",
      { env_vars: { AZURE_OPENAI_KEY: "x" } },
      { env_vars: { AZURE_OPENAI_KEY: hidden } },
    ],
    [
      "name and value as a pair",
      { env: [{ name: "API_KEY", value: "x" }] },
      { env: [{ name: "API_KEY", value: hidden }] },
    ],
  ])("hide %s", (_what, settings, expected) => {
    expect(redactSettings(settings)).toEqual(expected);
  });

  it.each<[string, JsonObject]>([
    [
      "counts of tokens",
      {
        max_tokens: 512,
        maxTokens: 1,
        max_output_tokens: 1,
        total_tokens: 2,
        token_count: 3,
        token_limit: 4,
        tokens: 5,
      },
    ],
    [
      "special tokens",
      {
        stop_tokens: ["</s>"],
        eos_token: "</s>",
        pad_token_id: 0,
        tokenizer: "cl100k",
        tokens_per_second: 3,
      },
    ],
    [
      "keys that are no credentials",
      { reward_key: "reward", sort_key: "a", primary_key: "id", keyboard: "us", monkey: "x" },
    ],
    ["names of variables", { agent_env_from_host: ["OPENAI_API_KEY"] }],
    [
      "the environment that is none of them",
      { env: { HOME: "/h", SOME_CACHE_DIR: "/c", PATH: "/bin" } },
    ],
    ["booleans and null", { capture_credentials: true, api_key: null, has_token: false }],
    [
      "addresses without credentials",
      { url: "https://h:8080/a?b=1&page_token_count=2#c", base: "ssh://git@host/x" },
    ],
    [
      "text",
      { instructions: "Find the key=value pairs; code=1. Note: keep it short.\nUser: a@b.c" },
    ],
    ["a pair whose name is none", { env: [{ name: "HOME", value: "/h" }] }],
  ])("keep %s", (_what, settings) => {
    expect(redactSettings(settings)).toEqual(settings);
  });

  it.each([
    ["https://u:p@h", `https://${hidden}@h`],
    ["https://sometoken@h/x", `https://${hidden}@h/x`],
    [
      "postgres://user:p@ss@db:5432/x?sslmode=require",
      `postgres://${hidden}@db:5432/x?sslmode=require`,
    ],
    ["see http://u:p@a and redis://:pw@b", `see http://${hidden}@a and redis://${hidden}@b`],
    ["https://h/x?api_key=k&n=1", `https://h/x?api_key=${hidden}&n=1`],
    ["https://h/x?key=AIza&alt=json", `https://h/x?key=${hidden}&alt=json`],
    ["https://h/x?sv=1&sig=abc%3D", `https://h/x?sv=1&sig=${hidden}`],
    [
      "https://h/x?X-Amz-Date=1&X-Amz-Signature=abc",
      `https://h/x?X-Amz-Date=1&X-Amz-Signature=${hidden}`,
    ],
    ["https://h/#access_token=t", `https://h/#access_token=${hidden}`],
    [
      "Server=db;User Id=sa;Password=p;Encrypt=true",
      `Server=db;User Id=sa;Password=${hidden};Encrypt=true`,
    ],
    [
      "AccountName=a;AccountKey=abc==;EndpointSuffix=s",
      `AccountName=a;AccountKey=${hidden};EndpointSuffix=s`,
    ],
    ["host=h password='a b' user=u", `host=h password=${hidden} user=u`],
    ["API_KEY=sk-1 = more", `API_KEY=${hidden}`],
    ["++model.api_key=sk", `++model.api_key=${hidden}`],
    ["model.temperature=0.7", "model.temperature=0.7"],
    ["no-equals-sign", "no-equals-sign"],
    ["--api-key=sk", `--api-key=${hidden}`],
    ["Authorization: Bearer x", `Authorization: ${hidden}`],
    ["X-Api-Key: v", `X-Api-Key: ${hidden}`],
    ["Accept: text/html", "Accept: text/html"],
  ])("make of the text %j %j", (text, expected) => {
    expect(redactSettings({ list: [text], text })).toEqual({ list: [expected], text: expected });
  });

  it("take the names of headers strictly, in a list and in a map", () => {
    const settings = {
      headers: ["X-Key: v", "Accept: a"],
      default_headers: { "X-Session": "s", Accept: "a" },
    };

    expect(redactSettings(settings)).toEqual({
      headers: [`X-Key: ${hidden}`, "Accept: a"],
      default_headers: { "X-Session": hidden, Accept: "a" },
    });
  });

  it("hide what follows a flag in a list of arguments", () => {
    const args = ["run", "--api-key", "sk", "--model", "m", "--token", "--verbose"];

    expect(redactSettings({ args })).toEqual({
      args: ["run", "--api-key", hidden, "--model", "m", "--token", "--verbose"],
    });
  });

  it("keep all keys, __proto__ too, and are the same when done twice", () => {
    const anySettings = fc.dictionary(
      fc.oneof(
        fc.string({ maxLength: 6 }),
        fc.constantFrom("api_key", "headers", "max_tokens", "__proto__"),
      ),
      fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom("https://u:p@h", "password=x y", "Cookie: a", "Server=a;Pwd=b"),
      ),
    ) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(anySettings, (settings) => {
        const once = redactSettings(settings);

        expect(Object.keys(once)).toEqual(Object.keys(settings));
        expect(JSON.stringify(redactSettings(once))).toBe(JSON.stringify(once));
      }),
    );
  });

  it("of a redactor are also free of exact values, and removals are counted by rule", () => {
    const redactor = createRedactor({ secrets: [{ name: "S", value: "exact-secret" }] });

    const clean = redactor.settings({
      api_key: "k",
      model: "exact-secret",
      url: "https://u:p@h",
      args: ["TOKEN=x"],
      again: hidden,
      password: hidden,
    });

    expect(clean).toEqual({
      api_key: hidden,
      model: hidden,
      url: `https://${hidden}@h`,
      args: [`TOKEN=${hidden}`],
      again: hidden,
      password: hidden,
    });
    expect(redactor.counts()).toEqual({
      "key-name": 1,
      "exact-value": 1,
      "url-user-info": 1,
      "named-value": 1,
    });
  });
});

describe("the name of a variable", () => {
  it.each([
    "AWS_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "DB_PASSWORD",
    "OPENAI_API_KEY",
    "HF_TOKEN",
    "GITHUB_TOKEN",
    "GH_PAT",
    "AZURE_OPENAI_KEY",
    "PGPASSWORD",
    "DB_PASS",
    "REDIS_AUTH",
    "SENTRY_DSN",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "SSH_PRIVATE_KEY",
    "AZURE_STORAGE_CONNECTION_STRING",
    "npm_config_//registry/:_authToken",
    "SESSION_COOKIE",
  ])("%s says credential", (name) => {
    expect(isCredentialName(name)).toBe(true);
  });

  it.each([
    "SOME_CACHE_DIR",
    "MAX_TOKENS",
    "TOKENIZERS_PARALLELISM",
    "PATH",
    "PWD",
    "OLDPWD",
    "HOME",
    "SSH_AUTH_SOCK",
    "TOKEN_LIMIT",
    "KEYBOARD",
    "PASS_RATE",
    "AUTHOR",
    "MONKEY",
    "",
  ])("%s does not", (name) => {
    expect(isCredentialName(name)).toBe(false);
  });
});

describe("the address of a repository", () => {
  it.each([
    ["https://user:tok@host/o/r.git", "https://host/o/r.git"],
    ["https://tok@host/o/r.git", "https://host/o/r.git"],
    ["https://host/o/r.git?access_token=t", `https://host/o/r.git?access_token=${hidden}`],
    ["git@host:o/r.git", "git@host:o/r.git"],
    ["someone@host:o/r.git", "host:o/r.git"],
    ["someone:tok@host:o/r.git", "host:o/r.git"],
    ["https://user:t/ok1@host/o/r.git", "https://host/o/r.git"],
    ["https://host:8443/@scope/r.git", "https://host:8443/@scope/r.git"],
    ["ssh://git@host/o/r.git", "ssh://git@host/o/r.git"],
    ["ssh://someone@host/o/r.git", "ssh://host/o/r.git"],
    ["../r.git", "../r.git"],
  ])("%s is told as %s", (address, expected) => {
    expect(withoutCredentials(address)).toBe(expected);
  });
});
