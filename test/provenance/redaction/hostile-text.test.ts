import { expect, it } from "vitest";

import { replaceCredentials } from "../../../packages/assay/src/provenance/redaction/credential-text.ts";
import { createRedactor } from "../../../packages/assay/src/provenance/redaction/redactor.ts";

const begin = ["-----BEGIN", "PRIVATE KEY-----"].join(" ");
const end = ["-----END", "PRIVATE KEY-----"].join(" ");
const keyLike = "a1B2c3D4e5F6g7H8i9J0";

/** Long enough that a search which grows with the square of the text would not end within the time of a test. */
const hostile: readonly (readonly [string, unknown])[] = [
  ["headers of a key that may be parted in many ways", `${begin}\n${"Abc:  ".repeat(200)}`],
  ["many keys without an end", `${begin}\nAAAAAAAAAAAAAAAA;`.repeat(40_000)],
  ["many ends of keys", `${"A".repeat(40)}\n${end}\n`.repeat(20_000)],
  ["lines that a key of PuTTY may begin with", "Private-Lines: 1 ".repeat(60_000)],
  [
    "headers of web tokens in one another",
    `${"-eyJ".repeat(8192)}.${"a".repeat(16384)} `.repeat(20),
  ],
  ["names and values in one run", `${"key=".repeat(2047)} `.repeat(120)],
  ["beginnings of addresses before one user", `${"://a:b".repeat(160_000)}@x`],
  ["beginnings of commands", "curl -u a:".repeat(100_000)],
  ["blanks behind a name", `api_key:${" ".repeat(1_000_000)}`],
  ["ids of keys beside each other", `AKIA${"B".repeat(16)} `.repeat(20_000)],
  ["a name of capitals alone", { ["A".repeat(1_000_000)]: keyLike }],
  [
    "many names that become the same",
    Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [
        `ghp_${String(index).padStart(36, "aB3dE5gH7j")}`,
        1,
      ]),
    ),
  ],
];

it.each(hostile)("is searched in a time that grows with the text: %s", (_what, value) => {
  const redactor = createRedactor({ secrets: [] });

  const clean = redactor.json(value as never) as unknown;

  expect(typeof clean).toBe(typeof value);
});

it("looks for addresses in settings in a time that grows with the text", () => {
  const text = "a.".repeat(300_000);

  expect(replaceCredentials(text, { isHeader: false }, () => "")).toBe(text);
});

it("takes out a key with headers, up to its end and no further", () => {
  const body = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=";
  const key = `${begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n${body}\n${end}`;

  expect(createRedactor({ secrets: [] }).text(`before ${key} after`)).toBe(
    "before <redacted> after",
  );
});
