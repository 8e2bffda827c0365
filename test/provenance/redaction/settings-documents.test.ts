import { performance } from "node:perf_hooks";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { SettingsForm } from "../../../packages/assay/src/contracts/redactor.ts";
import { createRedactor } from "../../../packages/assay/src/provenance/redaction/redactor.ts";
import type { JsonObject } from "../../../packages/assay/src/support/json.ts";

const whole = (format: SettingsForm["format"]): SettingsForm => ({ format, isWhole: true });
const clean = async (text: string, form: SettingsForm) =>
  await createRedactor({ secrets: [] }).document(text, form);

describe("a document of settings", () => {
  it.each<[what: string, text: string, form: SettingsForm, kept: string]>([
    [
      "JSON, spaced as it is",
      '{ "a": 1.0,\n\t"env": {"OPENAI_API_KEY": "word"}}',
      whole("json"),
      '{ "a": 1.0,\n\t"env": {"OPENAI_API_KEY": "<redacted>"}}',
    ],
    [
      "headers",
      '{"headers":{"X-Session":"word","Accept":"a/b"}}',
      whole("json"),
      '{"headers":{"X-Session":"<redacted>","Accept":"a/b"}}',
    ],
    [
      "all below a name",
      '{"credentials":{"user":"word","n":[1]},"x":NaN}',
      whole("json"),
      '{"credentials":{"user":"<redacted>","n":"<redacted>"},"x":NaN}',
    ],
    [
      "a list below a name",
      '{"api_keys": ["word", "more"]}',
      whole("json"),
      '{"api_keys": "<redacted>"}',
    ],
    [
      "pairs",
      '[{"name":"API_KEY","value":"word"},{"key":"DB_PASSWORD","value":"word"}]',
      whole("json"),
      '[{"name":"API_KEY","value":"<redacted>"},{"key":"DB_PASSWORD","value":"<redacted>"}]',
    ],
    [
      "arguments",
      '{"args":["--api-key","word","-e","API_KEY=word"]}',
      whole("json"),
      '{"args":["--api-key","<redacted>","-e","API_KEY=<redacted>"]}',
    ],
    [
      "a key twice",
      '{"password":"word","password":"<redacted>","b":{"token":"word","token":"more"}}',
      whole("json"),
      '{"password":"<redacted>","password":"<redacted>","b":{"token":"<redacted>","token":"<redacted>"}}',
    ],
    [
      "a key behind escapes",
      '{"api\\u005fkey":"word","max_tokens":5,"password":null}',
      whole("json"),
      '{"api\\u005fkey":"<redacted>","max_tokens":5,"password":null}',
    ],
    [
      "a mark of the byte order, and `__proto__`",
      '\uFEFF{"__proto__":{"password":"word"}}',
      whole("json"),
      '\uFEFF{"__proto__":{"password":"<redacted>"}}',
    ],
    [
      "JSON that is torn",
      '{"env": {"API_KEY": "word", "b": 1, "password": "wo',
      whole("json"),
      '{"env": {"API_KEY": "<redacted>", "b": 1, "password": "wo',
    ],
    [
      "settings within results",
      '{"password":"kept","config":{"agent":{"env":{"API_KEY":"word"},"kwargs":{"api_key":"word"}}},"steps":[{"http_headers":{"Cookie":"word"}}]}',
      { format: "json", isWhole: false },
      '{"password":"kept","config":{"agent":{"env":{"API_KEY":"<redacted>"},"kwargs":{"api_key":"<redacted>"}}},"steps":[{"http_headers":{"Cookie":"<redacted>"}}]}',
    ],
    [
      "flags and addresses within results",
      '{"argv":["x","--api-key","word","--token","-v"],"url":"http://h/p?api_key=word&n=1","note":"password=word"}',
      { format: "json", isWhole: false },
      '{"argv":["x","--api-key","<redacted>","--token","-v"],"url":"http://h/p?api_key=<redacted>&n=1","note":"password=word"}',
    ],
    [
      "the login of a registry",
      '{"auths":{"r":{"auth":"Ym9iOndvcmQ="},"s":{"auth":"none"}}}',
      whole("json"),
      '{"auths":{"r":{"auth":"<redacted>"},"s":{"auth":"none"}}}',
    ],
    [
      "netrc",
      "machine a login bob password word\nmachine b\n  login amy\n  password two=words\n",
      whole("assignments"),
      "machine a login bob password <redacted>\nmachine b\n  login amy\n  password <redacted>\n",
    ],
    [
      "pgpass",
      "# host:1:a:b:c\ndb:5432:shop:bob:word\n*:*:*:amy:wo:rd\n",
      whole("assignments"),
      "# host:1:a:b:c\ndb:5432:shop:bob:<redacted>\n*:*:*:amy:<redacted>\n",
    ],
    [
      "the login of npm",
      "//r.example/:_auth=word\nauth=none\n",
      whole("assignments"),
      "//r.example/:_auth=<redacted>\nauth=none\n",
    ],
    [
      "YAML",
      "a: 1 # c\nenv:\n  API_KEY: word\n  B: b\n",
      whole("yaml"),
      'a: 1 # c\nenv:\n  API_KEY: "<redacted>"\n  B: b\n',
    ],
    [
      "YAML over lines",
      "password: |\n  word\n  more\nnext: 1\n",
      whole("yaml"),
      'password: "<redacted>"\nnext: 1\n',
    ],
    [
      "YAML of lists, pairs and several documents",
      "- name: TOKEN\n  value: word\n---\ntokens: {api_token: word}\n",
      whole("yaml"),
      '- name: TOKEN\n  value: "<redacted>"\n---\ntokens: {api_token: "<redacted>"}\n',
    ],
    ["YAML that is none", "a: [\npassword: word\n", whole("yaml"), "a: [\npassword: <redacted>\n"],
    [
      "TOML",
      '[mcp.env]\nAPI_KEY = "word" # c\nB = "b"\n',
      whole("assignments"),
      '[mcp.env]\nAPI_KEY = "<redacted>" # c\nB = "b"\n',
    ],
    [
      "tables in a line",
      'env = { API_KEY = "word", B = "b", PASSWORD = \'word\' }\n',
      whole("assignments"),
      'env = { API_KEY = "<redacted>", B = "b", PASSWORD = "<redacted>" }\n',
    ],
    [
      "TOML over lines",
      'password = """word\nmore"""\nb = 1\n',
      whole("assignments"),
      'password = "<redacted>"\nb = 1\n',
    ],
    [
      "a table of credentials, and of headers",
      '[credentials]\nuser = "word"\n[x.http_headers]\nX-Session = "word"\n',
      whole("assignments"),
      '[credentials]\nuser = "<redacted>"\n[x.http_headers]\nX-Session = "<redacted>"\n',
    ],
    [
      "variables",
      "export DB_PASSWORD=two words\nA=b\nmax_tokens=5\n",
      whole("assignments"),
      "export DB_PASSWORD=<redacted>\nA=b\nmax_tokens=5\n",
    ],
    [
      "npm and Python",
      "//r.example/:_authToken=word\n[pypi]\nusername = u\npassword: word\n",
      whole("assignments"),
      "//r.example/:_authToken=<redacted>\n[pypi]\nusername = u\npassword: <redacted>\n",
    ],
  ])("loses each value by its name and nothing else: %s", async (_what, text, form, kept) => {
    const { text: stored, removed } = await clean(text, form);

    expect(stored).toBe(kept);
    expect(removed).toBeGreaterThan(0);
    expect(await clean(stored, form)).toEqual({ text: stored, removed: 0 });
  });

  it("in JSON is as `settings` makes it, and its bytes are those of before where nothing goes", async () => {
    const { settings } = createRedactor({ secrets: [] });
    const plain = (text: string) => JSON.parse(text) as JsonObject;
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), fc.nat(3), async (value, indent) => {
        const given = JSON.stringify({ config: value, password: value }, null, indent);
        const { text } = await clean(given, whole("json"));
        expect(plain(text)).toEqual(settings(plain(given)));
        const harmless = JSON.stringify({ a: [indent, "x", { b: null }] }, null, indent);
        expect(await clean(harmless, whole("json"))).toEqual({ text: harmless, removed: 0 });
      }),
      { numRuns: 300 },
    );
  });

  it.each<[what: string, text: string, format: SettingsForm["format"]]>([
    ["a million open lists of JSON", "[".repeat(1_000_000), "json"],
    ["twenty thousand open lists of YAML", "[".repeat(20_000), "yaml"],
    ["aliases of aliases", `a: &a [x]\n${"b: &a [*a,*a]\n".repeat(1000)}`, "yaml"],
    ["a line of pairs", "a=b,".repeat(100_000), "assignments"],
    ["open texts and lists", 'a = """\nb = [\nc = "\n'.repeat(30_000), "assignments"],
    ["passwords beside pairs", "machine a\npassword b\napi_key=b\n".repeat(50_000), "assignments"],
    ["beginnings of lines of pgpass", "a:1:b:".repeat(100_000), "assignments"],
    ["many words behind names", `machine a ${"password b ".repeat(50_000)}`, "assignments"],
    ["a text of backslashes", `{"a":"${"\\\\".repeat(500_000)}"}`, "json"],
  ])("is read in a time that its length bounds: %s", async (_what, text, format) => {
    const before = performance.now();
    await clean(text, whole(format));

    expect(performance.now() - before).toBeLessThan(8000);
  });
});
