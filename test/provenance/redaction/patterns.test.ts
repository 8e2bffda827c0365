import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  lintPrefixes,
  lintRuleNames,
  unusedLintRules,
} from "../../../packages/assay/src/provenance/redaction/patterns/secretlint.ts";
import { createRedactor } from "../../../packages/assay/src/provenance/redaction/redactor.ts";
import type { JsonObject } from "../../../packages/assay/src/support/json.ts";
import { sharedFixtures } from "../../support/tools.ts";
import { type Credential, makeCredentials, partsOf } from "./credential-shapes.ts";

/** Knows no secret: what it removes it knows by its looks. */
const redactor = () => createRedactor({ secrets: [] });
const clean = (text: string): string => redactor().text(text);

const redactBytes = (bytes: Buffer, size: number): string => {
  const stream = redactor().stream();
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size)
    parts.push(stream.push(bytes.subarray(at, at + size)));
  return Buffer.concat([...parts, stream.end()]).toString();
};

const isGone = (credential: Credential, text: string): void => {
  for (const part of partsOf(credential)) expect(text).not.toContain(part);
};

const credentials = makeCredentials();
const byShape = credentials.map((credential) => [credential.shape, credential] as const);
const json = (text: string): string => JSON.stringify(text).slice(1, -1);

/** What stands around a credential in the places where agents leave them. */
const surroundings: Readonly<Record<string, (text: string) => string>> = {
  "between words": (text) => `I found ${text} in the file.`,
  "at the end of a line of many": (text) => `one\ntwo ${text}\nthree`,
  "in quotes": (text) => `{"value": "${json(text)}"}`,
  "behind an escaped line end": (text) => JSON.stringify({ log: `first\n${text}\nlast` }),
  "in JSON twice": (text) => JSON.stringify(JSON.stringify({ log: `first\n${text}` })),
  "in colours of a terminal": (text) => `\u001b[31m${text}\u001b[0m`,
  "behind letters of other scripts": (text) => `schlüssel: ê${text}。`,
};

describe("a credential that nobody declared", () => {
  it.each(byShape)("is known by its looks: %s", (_shape, credential) => {
    for (const around of Object.values(surroundings)) {
      const text = around(credential.text);

      isGone(credential, clean(text));
      isGone(credential, redactBytes(Buffer.from(text), 7));
    }
  });

  it.each(byShape)("is seen in a row before it is looked for: %s", (_shape, { text }) => {
    expect(redactor().mayContain(JSON.stringify({ output: { text: `a\n${text}\n` } }))).toBe(true);
    expect(redactor().mayContain(text)).toBe(true);
  });

  it.each([
    ["sshpass", "sshpass -p hunter2 ssh host"],
    ["mysql", "mysql -uroot -phunter2"],
    ["redis-cli", "redis-cli -a hunter2"],
  ])("is seen in a text of words and blanks alone, given to %s", (_what, text) => {
    expect(clean(text)).not.toBe(text);
    expect(redactor().mayContain(text)).toBe(true);
  });

  it("is removed wherever it stands in a long stream, whatever its chunks are", () => {
    for (const [index, credential] of credentials.entries()) {
      const { text } = credential;
      const before = "lorem ipsum ".repeat(5_400 + index * 3);
      const bytes = Buffer.from(`${before}${text} ${"dolor ".repeat(3000)}`);

      const whole = redactBytes(bytes, bytes.length);

      isGone(credential, whole);
      expect(redactBytes(bytes, 9_973)).toBe(whole);
    }
  });

  it("goes on behind what is seen of a stream at once", () => {
    const line = `${"MIIBVgIBADANBgkqhkiG9w0BAQEFAASCAUAwggE8AgEAAkEAq7BFUpkGp3aaTk"}\n`;
    const key = `-----BEGIN PRIVATE KEY-----\n${line.repeat(3000)}-----END PRIVATE KEY-----`;

    expect(redactBytes(Buffer.from(`${"x ".repeat(20_000)}${key}`), 65_536)).not.toContain("MIIB");
  });

  it("is counted by the rule that knew it", () => {
    const one = redactor();
    for (const { text } of credentials) one.text(text);

    expect(one.counts()).toMatchObject({
      github: 5,
      jwt: 2,
      "private-key": 18,
      "url-user-info": 2,
    });
    expect(JSON.stringify(one.counts())).not.toMatch(/undefined|NaN/);
  });

  it("is removed from under its name in JSON data", () => {
    const given = {
      headers: { "x-api-key": "q7Rk2Lm9Xw4Tz8Vb", accept: "text/plain" },
      tokens: 42,
    };

    expect(redactor().json(given)).toEqual({
      headers: { "x-api-key": "<redacted>", accept: "text/plain" },
      tokens: 42,
    });
  });

  it.each([
    ["https://user:p/w1secret@host.example/x", "https://<redacted>@host.example/x"],
    ["https://user:p?w1secret@host.example/x", "https://<redacted>@host.example/x"],
    [String.raw`https:\/\/user:pw1secret@host`, String.raw`https:\/\/<redacted>@host`],
    ["https://user:my pa5sword@host.example/x", "https://<redacted>@host.example/x"],
    ["postgres://app:pa5 sw ord@db.internal:5432/x", "postgres://<redacted>@db.internal:5432/x"],
    ["https://user:pw1secret@ünicode.example/x", "https://<redacted>@ünicode.example/x"],
  ])("in an address goes, whatever it is made of: %s", (text, expected) => {
    expect(clean(text)).toBe(expected);
    expect(redactBytes(Buffer.from(text), 7)).toBe(expected);
    expect(redactor().mayContain(JSON.stringify(text))).toBe(true);
  });

  it("is known by what stands beside it in a list or an object", () => {
    const id = credentials.find(({ shape }) => shape === "aws, key id")?.value ?? "";
    const secret = credentials.find(({ shape }) => shape === "aws, secret key")?.value ?? "";
    const token = credentials.find(({ shape }) => shape === "client secret")?.value ?? "";

    expect(redactor().json({ row: ["bob", id, secret], pair: { a: id, b: secret } })).toEqual({
      row: ["bob", "<redacted>", "<redacted>"],
      pair: { a: "<redacted>", b: "<redacted>" },
    });
    expect(redactor().json(["deploy", "--api-key", token])).toEqual([
      "deploy",
      "--api-key",
      "<redacted>",
    ]);
  });

  it("is known by a name that stands before its own in a pair", () => {
    const secret = credentials.find(({ shape }) => shape === "client secret")?.value ?? "";
    for (const text of [
      `<add key="ApiKey" value="${secret}" />`,
      `{"name":"SERVICE_API_KEY","value":"${secret}"}`,
      `"--api-key", "${secret}"`,
    ]) {
      expect(clean(text)).toBe(text.replace(secret, "<redacted>"));
      expect(redactor().mayContain(JSON.stringify({ text }))).toBe(true);
    }
  });

  it("is found with blanks around it wherever JSON escapes them", () => {
    const secret = credentials.find(({ shape }) => shape === "client secret")?.value ?? "";
    for (const gap of ["\n", "\n    ", "\r\n\t"]) {
      const text = `password:${gap}${secret}`;

      expect(clean(text)).toBe(`password:${gap}<redacted>`);
      expect(redactor().mayContain(JSON.stringify({ text }))).toBe(true);
    }
  });

  it("stays known when a text was cut inside of it", () => {
    const [, nvidia] = byShape.find(([shape]) => shape === "nvidia") ?? [];
    const start = nvidia?.value.slice(0, 20) ?? "";

    expect(clean(`key ${start}…`)).toBe("key <redacted>…");
    expect(redactBytes(Buffer.from(`key ${start}…`), 5)).toBe("key <redacted>…");
  });
});

describe("text that only looks like a credential", () => {
  it.each([
    "https://example.com/@user/repo",
    "https://example.com:8443/@user/repo and http://localhost:80?by=@me",
    "git@github.com:org/repo.git and ssh://git@host.example/x",
    "https://user:password@example.com, https://${USER}:${PASSWORD}@host, http://u:***@h",
    "const apiKey = process.env.OPENAI_API_KEY_FOR_TESTS2;",
    "the api_key: your-api-key-goes-here-1234",
    '{"max_tokens": 512, "total_tokens": 1234567890123456, "next_page_token": null}',
    "call_9hGk2LmQwErTyUiOp1234567 chatcmpl-9f8e7d6c5b4a3f2e1d0c",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "3f2b7c1e-6a51-4f0e-9a8b-1d2c3e4f5a6b",
    "task-000000000017 risk-0123456789abcdef disk-image-2024-12-01-final-version",
    "-----BEGIN CERTIFICATE-----\nMIIBVgIBADANBgkqhkiG9w0BAQEFAASCAUAwggE8\n-----END CERTIFICATE-----",
    "the header is -----BEGIN PRIVATE KEY----- and then the key follows",
    "/usr/lib/node_modules/some-package/dist/index.js:204:31",
    "task-550e8400-e29b-41d4-a716-446655440000",
    '"token": "ChatCompletionChunk2Delta", "token": "getUserAccessTokenV2"',
    "the password reset-link-2024-08-01-v2 was sent",
    'curl -u "$USER:$PASS" a; curl -u user:password b && docker run --user 1000:1000 -u node:node x',
    "curl http://localhost:8080 and mail bob@corp.example, or http://host:8080 for amy@corp.example",
    'const begin = "-----BEGIN PRIVATE KEY-----";\nconst isPem = createPrivateKeyFromPemString(begin);',
    '"name": "commit", "value": "7a3c5d58426d8609cad57c292f6e15ecd230a374"',
    "AKIDabcdefghijklmnopqrst task-LTAIlandesgruppe",
    "an id AKI4 beside 7a3c5d58426d8609cad57c292f6e15ecd230a374",
  ])("stays as it is: %s", (text) => {
    expect(clean(text)).toBe(text);
    expect(redactBytes(Buffer.from(text), 11)).toBe(text);
    expect(redactor().mayContain(JSON.stringify(text))).toBe(false);
  });

  it("stays as it is, though one of the rules is asked: words behind sk-", () => {
    const text = "uses sk-learn-contrib-utilities-2024-release-notes-v1b2c3";

    expect(clean(text)).toBe(text);
    expect(redactBytes(Buffer.from(text), 11)).toBe(text);
  });

  it("alters fewer than one line in a thousand of recorded transcripts", () => {
    const one = redactor();
    let lines = 0;
    let altered = 0;
    for (const path of filesBelow(sharedFixtures())) {
      for (const line of readFileSync(path, "utf8").split("\n")) {
        lines += 1;
        if (one.text(line) !== line) altered += 1;
      }
    }

    expect(lines).toBeGreaterThan(1000);
    expect(altered / lines).toBeLessThan(0.001);
  });
});

describe("redaction by looks", () => {
  const words = fc.constantFrom(
    "key ",
    "token: ",
    '"',
    "\\n",
    "\n",
    "=",
    " and ",
    "é",
    "…",
    "/",
    "{}",
  );
  const texts = fc
    .array(fc.oneof(words, fc.constantFrom(...credentials.map(({ text }) => text))), {
      maxLength: 8,
    })
    .map((parts) => parts.join(""));

  it("gives the same when it is done twice", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(clean(clean(text))).toBe(clean(text));
      }),
      { numRuns: 200 },
    );
  });

  it("gives the same whatever the chunks are", () => {
    const property = fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, size) => {
      const bytes = Buffer.from(text);

      expect(redactBytes(bytes, size)).toBe(redactBytes(bytes, bytes.length + 1));
    });
    fc.assert(property, { numRuns: 200 });
  });

  it("leaves any other text as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
        expect(clean(text)).toBe(text);
        expect(redactBytes(Buffer.from(text), 13)).toBe(Buffer.from(text).toString());
      }),
    );
  });

  it("keeps JSON readable, its names and its counts", () => {
    fc.assert(
      fc.property(texts, fc.integer(), (text, count) => {
        const given: JsonObject = { max_tokens: count, log: [text, { note: text }] };
        const bytes = Buffer.from(JSON.stringify(given));

        expect(redactor().json(given)["max_tokens"]).toBe(count);
        expect(JSON.parse(redactBytes(bytes, 17))).toMatchObject({ max_tokens: count });
      }),
      { numRuns: 200 },
    );
  });

  it("ends a key of PuTTY with the value of JSON that it stands in, whatever follows it there", () => {
    const of = (shape: string) => credentials.find((it) => it.shape === shape)?.text;
    const token = of("openai, legacy");
    const key = [token, of("private key, of PuTTY"), token, token].join("");
    const given = { log: [key, { note: key }] };

    expect(JSON.parse(redactBytes(Buffer.from(JSON.stringify(given)), 17))).toMatchObject({
      log: [expect.any(String), { note: expect.any(String) }],
    });
  });

  it("takes no name, and no quote around it, with the secret of a key of AWS beside its id", () => {
    const of = (shape: string) => credentials.find((it) => it.shape === shape);
    const log = `${of("aws, secret key")?.text}| bob | ${of("aws, key id")?.value} |`;

    expect(JSON.parse(redactBytes(Buffer.from(JSON.stringify({ log })), 17))).toStrictEqual({
      log: "AWS_SECRET_ACCESS_KEY=<redacted>| bob | <redacted> |",
    });
  });

  it("takes the end of a key for no part of the value before it", () => {
    const lines = ["VZ0JrTea2Jigv7NvPl7ayPPgrTF5T4koiqnMHt7BzsyawvICbMYv7SHsErBJWELs", "x7"];
    const end = `${lines.join("\n")}\n-----END EC PRIVATE KEY-----`;
    const token = "b5MEL4gQyq0isJPThSxIT3BlbkFJkFjUzL3HSfHFA9AGtAtYb5MEL4gQyq0isJPT";
    const given = { log: [`${end}${token}`, { note: end }] };

    expect(JSON.parse(redactBytes(Buffer.from(JSON.stringify(given)), 17))).toStrictEqual({
      log: [`<redacted>${token}`, { note: "<redacted>" }],
    });
  });

  it("sees in a row all that it removes from the texts of the row", () => {
    fc.assert(
      fc.property(texts, (text) => {
        if (clean(text) !== text)
          expect(redactor().mayContain(JSON.stringify({ text }))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe("secretlint's rules", () => {
  it("are all used, but those that are left out for a reason", () => {
    expect([...Object.keys(lintPrefixes), ...unusedLintRules].sort()).toEqual(
      [...lintRuleNames].sort(),
    );
  });

  it("cannot be switched off by what the text says", () => {
    const [, github] = byShape.find(([shape]) => shape === "github, personal") ?? [];

    expect(clean(`// secretlint-disable\n${github?.value}`)).not.toContain(github?.value);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:jsonl?|md|toml|patch)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}
