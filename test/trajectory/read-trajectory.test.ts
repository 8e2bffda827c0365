import { describe, expect, it } from "vitest";

import { parseTrajectory } from "../../packages/assay/src/trajectory/read-trajectory.ts";

const bytes = (text: string) => Buffer.from(text);
const parse = (given: Uint8Array, format: "atif" | "otlp" = "atif") =>
  parseTrajectory(given, { format, source: "trace.json" });
const atif = '{"schema_version":"ATIF-v1.4","steps":[{"source":"user","message":"hi"}]}';
const line = (name: string) =>
  JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span(name)] }] }] });
const span = (name: string) => ({
  name,
  spanId: name,
  attributes: [{ key: "gen_ai.tool.name", value: { stringValue: name } }],
});

describe("the file of a trajectory", () => {
  it("may begin with a byte order mark", () => {
    expect(parse(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes(atif)])).steps).toHaveLength(
      1,
    );
  });

  it.each<[string, Uint8Array, "atif" | "otlp", string]>([
    ["is empty", bytes(""), "atif", "trace.json: it is not JSON"],
    ["is torn", bytes(atif.slice(0, -2)), "atif", "trace.json: it is not JSON"],
    ["is no UTF-8", Buffer.from([0x22, 0xff, 0x22]), "atif", "trace.json: it is no UTF-8"],
    ["is nested too deep", bytes("[".repeat(100_000)), "atif", "nested more than 200 deep"],
    [
      "holds too many values",
      bytes(`[${"{},".repeat(2_100_000)}{}]`),
      "atif",
      "more than 4000000 values",
    ],
    [
      "hides too many values in a text",
      bytes(`{"a":"${"{},".repeat(2_100_000)}"}`),
      "otlp",
      "more than 4000000 values",
    ],
    [
      "has a spoilt line",
      bytes(`${line("a")}\n\n{"resourceSpans":\n`),
      "otlp",
      "trace.json, line 3: it is not JSON",
    ],
    ["has an entry that is no object", bytes("[5]"), "otlp", "trace.json: an entry is no object"],
    [
      "has spans that are no list",
      bytes('{"resourceSpans":{}}'),
      "otlp",
      "resourceSpans is no list",
    ],
    [
      "has a span that is no object",
      bytes('{"resourceSpans":[{"scopeSpans":[{"spans":[1]}]}]}'),
      "otlp",
      "[0].scopeSpans[0].spans[0]",
    ],
  ])("is refused when it %s", (_case, given, format, problem) => {
    expect(() => parse(given, format)).toThrow(
      expect.objectContaining({ code: "ASSAY_TRAJECTORY_INVALID" }),
    );
    expect(() => parse(given, format)).toThrow(problem);
  });

  it("ends a text where JSON does, whatever backslashes stand before its marks", () => {
    const message = 'a "b" \\\\" \\\\\\" [[[ {{{ \\';
    const deep = "[".repeat(150) + "]".repeat(150);
    const text = JSON.stringify({
      schema_version: "ATIF-v1.4",
      steps: [{ source: "user", message: message + deep + message }],
    });

    expect(parse(bytes(text)).steps[0]?.message).toBe(message + deep + message);
    const torn = `${text.slice(0, -2)},${deep.repeat(2)},"x\\\\",${"[".repeat(201)}`;
    expect(() => parse(bytes(torn))).toThrow("nested more than 200 deep");
  });

  it("is refused when it is too long, before it is looked into", () => {
    expect(() => parse(new Uint8Array(64 * 1024 * 1024 + 1))).toThrow("and may have 67108864");
  });

  it.each<[string, string, string[]]>([
    ["nothing", "", []],
    ["blank lines", "\n \n", []],
    ["an empty request", "{}", []],
    ["one request", line("a"), ["a"]],
    ["one request over several lines", JSON.stringify(JSON.parse(line("a")), null, 2), ["a"]],
    [
      "a request in each line, CRLF and blank lines between",
      `${line("a")}\r\n\r\n${line("b")}\r\n`,
      ["a", "b"],
    ],
    ["a request of logs beside one of spans", `{"resourceLogs":[]}\n${line("b")}`, ["b"]],
    [
      "a list of resource spans",
      `[{"scopeSpans":[{"spans":[${JSON.stringify(span("c"))}]}]}]`,
      ["c"],
    ],
    ["a list of requests", `[${line("a")},${line("b")}]`, ["a", "b"]],
    ["resource spans without spans", '[{"scopeSpans":[{}]},{"scopeSpans":null}]', []],
  ])("in OTLP may hold %s", (_case, text, tools) => {
    expect(parse(bytes(text), "otlp").toolCalls.map(({ name }) => name)).toStrictEqual(tools);
  });
});
