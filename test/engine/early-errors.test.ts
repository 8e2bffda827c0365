import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { AssayError, evaluate, loadSuite } from "assay";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  secretsOfText,
  secretsOfValue,
} from "../../packages/assay/src/engine/suite/declared-secrets.ts";
import { bench, constant, eager, folder, task } from "./run-kit.ts";

/** Nothing but its declaration gives this value away. */
const secret = "zq7-Quiet-Otter-Parade";
const env = { MYTHING: secret };
const config = { secrets: ["MYTHING"] };

async function thrownBy(work: () => Promise<unknown>): Promise<AssayError> {
  try {
    await work();
  } catch (thrown) {
    if (AssayError.isInstance(thrown)) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}

function expectHidden(error: AssayError): void {
  const seen = inspect(error, { depth: 9 }) + error.message + JSON.stringify(error.data);
  expect(seen).not.toContain("Quiet");
  expect(seen).toContain("<redacted>");
}

describe("a declared secret is in no error", () => {
  const requests = {
    "of two tasks with one id": { tasks: [task(secret), task(secret)], config },
    "of a task that does not exist": {
      tasks: [task("t0")],
      config: { ...config, taskIds: [secret] },
    },
    "of a setting that the target does not have": {
      tasks: [task("t0")],
      config: {
        ...config,
        overrides: [{ path: [secret], value: 1, isText: false, origin: "call" as const }],
      },
    },
    "of a suite with an output directory that cannot be": {
      tasks: [task("t0")],
      config: { ...config, workDir: `\0${secret}` },
    },
  };
  it.each(Object.entries(requests))("%s", async (_what, request) => {
    const here = bench({ env });

    expectHidden(
      await thrownBy(() =>
        here.evaluator.run({
          metrics: [constant()],
          target: eager(),
          ...request,
        }),
      ),
    );
  });

  it.each([
    ["was cut", `it said: ${secret.slice(0, 12)}…`],
    ["is quoted in part", `Unexpected token 'z', "${secret.slice(0, 10)}"... is not valid JSON`],
  ])("of a tool whose answer %s", async (_what, message) => {
    const here = bench({ env });
    const probe = async () => {
      throw new AssayError("ASSAY_TOOL_UNUSABLE", message, { data: { message } });
    };

    expectHidden(
      await thrownBy(() =>
        here.evaluator.run({
          tasks: [task("t0")],
          metrics: [constant()],
          target: eager({ probe }),
          config,
        }),
      ),
    );
  });

  it("of a suite that is loaded", async () => {
    const file = join(folder(), "s.yaml");
    writeFileSync(file, `secrets: [{ name: MYTHING }]\ntasks: []\n${secret}: 1\n`);
    const names: string[] = [];

    const error = await thrownBy(() =>
      loadSuite(file, { env, onSecrets: (found) => names.push(...found) }),
    );

    expectHidden(error);
    expect(error.code).toBe("ASSAY_CONFIG_UNKNOWN_KEY");
    expect(names).toContain("MYTHING");
  });

  it("of rows", async () => {
    vi.stubEnv("MYTHING", secret);
    onTestFinished(() => void vi.unstubAllEnvs());

    const rows = [{ id: { [secret]: 1 }, output: "x" }];
    expectHidden(await thrownBy(() => evaluate({ rows, metrics: [constant()], config })));
  });
});

describe("the secrets that a suite declares", () => {
  it.each<[string, string, readonly string[]]>([
    ["a YAML list in brackets", "secrets: [A_KEY, B]\nname: x", ["A_KEY", "B"]],
    [
      "a YAML list of lines",
      'name: x\nsecrets: # all\n- A\n  - "B"\n\n  - name: C\n    allow_short: true\n  # why\n  - D\ntasks:\n  - id: E',
      ["all", "A", "B", "name", "C", "allow_short", "true", "why", "D"],
    ],
    ["JSON", '{"secrets": ["A", { "name": "B" }], "tasks": ["C"]}', ["A", "name", "B"]],
    [
      "a module",
      'defineSuite({ name: "n", secrets: [\n  "A", // one\n  "B",\n], tasks: ["C"] })',
      ["A", "one", "B"],
    ],
    ["a list with a name", 'const secrets = ["A"];\nconst tasks = ["B"];', ["A"]],
    ["names of other things", "mysecrets: [A]\nsecrets_leaked: [B]\nsecrets: names,\n  x: [C]", []],
    ["no end", "secrets: [A, B", ["A", "B"]],
  ])("are read off the text of %s", (_what, text, expected) => {
    expect(secretsOfText(text).map(({ name }) => name)).toEqual(expected);
  });

  it.each<[string, unknown, unknown]>([
    ["names", { secrets: ["A", "B"] }, [{ name: "A" }, { name: "B" }]],
    [
      "objects, of either spelling",
      {
        secrets: [{ name: "A", allowShort: true }, { name: "B", allow_short: true }, { name: "C" }],
      },
      [
        { name: "A", allowShort: true },
        { name: "B", allowShort: true },
        { name: "C", allowShort: false },
      ],
    ],
    ["what is sound among what is not", { secrets: [1, null, { name: 2 }, "A"] }, [{ name: "A" }]],
    ["no list", { secrets: "A" }, []],
    ["no suite", null, []],
    [
      "what refuses to be read",
      new Proxy(
        {},
        {
          getOwnPropertyDescriptor: () => {
            throw new Error("no");
          },
        },
      ),
      [],
    ],
  ])("are read off %s", (_what, suite, expected) => {
    expect(secretsOfValue(suite)).toEqual(expected);
  });
});
