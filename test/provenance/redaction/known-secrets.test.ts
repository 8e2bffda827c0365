import { describe, expect, it } from "vitest";

import {
  knownSecretsOf,
  secretsInSettings,
} from "../../../packages/assay/src/provenance/redaction/known-secrets.ts";

const known = (env: Readonly<Record<string, string>>, declared: readonly string[] = []) =>
  knownSecretsOf({ declared, env }).map(({ name, value }) => `${name}=${value}`);

describe("the known secrets", () => {
  it("are the declared ones, whatever their names say", () => {
    expect(known({ MY_THING: "declared-value", OTHER: "other-value" }, ["MY_THING"])).toEqual([
      "MY_THING=declared-value",
    ]);
  });

  it.each([undefined, "", "  "])(
    "lack a declared one whose value is %j, and the error names it",
    (value) => {
      const request = { declared: ["MY_THING"], env: { MY_THING: value } };

      expect(() => knownSecretsOf(request)).toThrow(/secret MY_THING is declared but not set/);
      expect(() => knownSecretsOf(request)).toThrow(
        expect.objectContaining({ code: "ASSAY_SECRET_MISSING", data: { name: "MY_THING" } }),
      );
    },
  );

  it("refuse a declared one under 8 bytes, unless it is allowed, and never show it", () => {
    const request = { declared: ["PIN"], env: { PIN: "12345\n\n\n" } };

    expect(() => knownSecretsOf(request)).toThrow(
      expect.objectContaining({ code: "ASSAY_SECRET_TOO_SHORT", data: { name: "PIN" } }),
    );
    expect(() => knownSecretsOf(request)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining("12345") as string }),
    );
    expect(knownSecretsOf({ ...request, allowShort: true })).toEqual([
      { name: "PIN", value: "12345\n\n\n" },
    ]);
    expect(known({ PIN: "ßßßß" }, ["PIN"])).toEqual(["PIN=ßßßß"]);
  });

  it.each(["correct horse", "correct-horse-battery-staple", "Tr0ubador", "hunter22", "aKeyOfMine"])(
    "are also passphrases and mixed texts such as %s",
    (value) => {
      expect(known({ DB_PASSWORD: value })).toEqual([`DB_PASSWORD=${value}`]);
    },
  );

  it("are also the values of variables whose names say credential", () => {
    const env = {
      OPENAI_API_KEY: "sk-123456",
      HOME: "/home/someone",
      MAX_TOKENS: "123456789",
      LANG: "en_US.UTF-8",
    };

    expect(known(env)).toEqual(["OPENAI_API_KEY=sk-123456"]);
  });

  it.each([
    ["under 8 bytes", { API_KEY: "1234567" }],
    [
      "a common word",
      { REQUIRE_PASSWORD: "required", DB_PASSWORD: "password", API_TOKEN: "disabled" },
    ],
    [
      "plain words, which ordinary text holds too",
      { POSTGRES_PASSWORD: "postgres", DB_PASSWORD: "final_state", API_SECRET: "Evidence" },
    ],
    ["one character repeated", { API_KEY: "xxxxxxxxxxxx" }],
    [
      "a path where a path is meant",
      {
        GOOGLE_APPLICATION_CREDENTIALS: "/home/x/key.json",
        SECRETS_DIR: "/run/secrets",
        COOKIE_FILE: "./cookies",
      },
    ],
  ])("are not a value that is %s", (_what, env) => {
    expect(known(env as Record<string, string>)).toEqual([]);
  });

  it("are a value that begins like a path where no path is meant", () => {
    expect(known({ AWS_SECRET_ACCESS_KEY: "/abcDEF/ghiJKL" })).toEqual([
      "AWS_SECRET_ACCESS_KEY=/abcDEF/ghiJKL",
    ]);
  });

  it("are the passwords in addresses, decoded and as written, and long user names", () => {
    const env = {
      DATABASE_URL: "postgres://user:p%40ssw0rd!@db/x",
      REMOTE: "https://abcdefghijklmnop:x-oauth-basic@host/r",
      PROXY: "http://someone@proxy:3128",
    };

    expect(known(env)).toEqual([
      "DATABASE_URL=p@ssw0rd!",
      "DATABASE_URL=p%40ssw0rd!",
      "REMOTE=x-oauth-basic",
      "REMOTE=abcdefghijklmnop",
    ]);
  });

  it("are the passwords in connection strings and the secrets in queries", () => {
    const env = {
      STORE: "AccountName=a;AccountKey=abcdefgh==;x=y",
      SAS: "https://h/c?sv=1&sig=abcdefgh%3D",
      DSN: "host=h password='long pass' user=u",
    };

    expect(known(env)).toEqual(["STORE=abcdefgh==", "SAS=abcdefgh%3D", "DSN=long pass"]);
  });

  it("hold each value once, under the name that declared it", () => {
    const env = { OTHER_TOKEN: "the-same-value", MY_THING: "the-same-value" };

    expect(known(env, ["MY_THING"])).toEqual(["MY_THING=the-same-value"]);
  });

  it("are those in settings too, by their names and in addresses", () => {
    const settings = {
      endpoint: "https://ci:hunter%2F22222@host/v1?sig=abcdefgh1",
      headers: ["X-Token: t0ken-of-a-header", "Accept: text/plain"],
      model: { api_keys: ["key-number-1", "key-number-2"], max_tokens: 512, token_style: "none" },
      password: "postgres",
      short_secret: "abc",
    };

    expect(secretsInSettings(settings).map(({ value }) => value)).toEqual([
      "hunter/22222",
      "hunter%2F22222",
      "abcdefgh1",
      "t0ken-of-a-header",
      "key-number-1",
      "key-number-2",
    ]);
  });
});
