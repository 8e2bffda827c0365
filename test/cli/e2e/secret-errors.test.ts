import { describe, expect, it } from "vitest";
import { assay, folder } from "./assay-process.ts";

/** Nothing but the suite's declaration gives this name or this value away. */
const secret = "zq7-Quiet-Otter-Parade";
const env = { MYTHING: secret };

const yaml = (rest: string, secrets = "secrets: [MYTHING]") => `
name: quiet
${secrets}
target: { kind: codex_cli }
${rest}
`;
const task = (id: string) => `{ id: ${id}, intent: "", inputs: { instruction: x } }`;
const sound = `tasks: [${task("a")}]\nmetrics: [{ type: exact-match, reference: x }]`;
const module = (body: string) => `
import { defineSuite } from "assay";
import { exactMatch } from "assay/metrics";
import { callable } from "assay/runners";
const told = process.env.MYTHING;
const task = { id: "a", intent: "", inputs: { instruction: "x" } };
const sound = {
  name: "quiet",
  tasks: [task],
  metrics: [exactMatch({ reference: "x" })],
  target: callable({ name: "x", agent: () => "x" }),
};
${body}
`;

interface EarlyError {
  readonly file: string;
  readonly text: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where the value stood. */
  readonly shown: string;
}

const cases: readonly (readonly [string, EarlyError])[] = [
  [
    "a setting of the command line",
    {
      file: "s.yaml",
      text: yaml(sound),
      args: ["--set", `target.timeout_s=${secret}`],
      shown: '(given: "<redacted>")',
    },
  ],
  [
    "a setting of the environment",
    {
      file: "s.yaml",
      text: yaml(sound),
      env: { ASSAY_SET_TARGET__TIMEOUT_S: secret },
      shown: '(given: "<redacted>")',
    },
  ],
  [
    "a setting that the target does not have",
    {
      file: "s.yaml",
      text: yaml(sound),
      args: ["--set", `target.${secret}=1`],
      shown: "<redacted>",
    },
  ],
  [
    "a task that does not exist",
    { file: "s.yaml", text: yaml(sound), args: ["--task", secret], shown: "<redacted>" },
  ],
  [
    "two tasks of one id",
    {
      file: "s.yaml",
      text: yaml(sound.replace(task("a"), `${task(secret)}, ${task(secret)}`)),
      shown: "<redacted>",
    },
  ],
  ["an unknown key", { file: "s.yaml", text: yaml(`${sound}\n${secret}: 1`), shown: "<redacted>" }],
  [
    "an unknown key, with the secrets as a list of lines",
    {
      file: "s.yaml",
      text: yaml(`${sound}\n${secret}: 1`, "secrets:\n  # of the service\n  - name: MYTHING"),
      shown: "<redacted>",
    },
  ],
  [
    "a syntax error in YAML",
    { file: "s.yaml", text: yaml(`"${secret}" "${secret}": [`), shown: "s.yaml" },
  ],
  [
    "a syntax error in JSON",
    { file: "s.json", text: `{ "secrets": ["MYTHING"], "name": ${secret} }`, shown: "<redacted>" },
  ],
  [
    "a wrong value in JSON",
    {
      file: "s.json",
      text: `{ "secrets": [{ "name": "MYTHING" }], "tasks": [], "labels": { "${secret}": 1 }, "${secret}": 2 }`,
      shown: "<redacted>",
    },
  ],
  [
    "a module that throws before it exports anything",
    {
      file: "s.eval.ts",
      text: module(
        `throw new Error("cannot use " + told);\nexport default { ...sound, secrets: ["MYTHING"] };`,
      ),
      shown: "cannot use <redacted>",
    },
  ],
  [
    "a module whose suite is wrong",
    {
      file: "s.eval.ts",
      text: module(
        `const named = "MY" + "THING";\nexport default { ...sound, secrets: [named], [told]: 1 };`,
      ),
      shown: "<redacted>",
    },
  ],
  [
    "a suite that is made by a function",
    {
      file: "s.eval.ts",
      text: module(
        `const named = ["MY" + "THING"];\nexport default () => ({ ...sound, tasks: [{ ...task, id: told }, { ...task, id: told }], secrets: named });`,
      ),
      shown: "<redacted>",
    },
  ],
  [
    "an error that nobody awaits while the suite is loaded",
    {
      file: "s.eval.ts",
      text: module(
        `void Promise.reject(new Error("stray " + told));\nawait new Promise((done) => setTimeout(done, 200));\nexport default { ...sound, secrets: ["MYTHING"] };`,
      ),
      shown: "stray <redacted>",
    },
  ],
];

describe("a declared secret with a plain name is not shown by", () => {
  it.each(cases)("%s", async (_what, { file, text, args = [], shown, ...more }) => {
    const cwd = folder({ [file]: text });

    for (const isJson of [false, true]) {
      const words = ["run", file, "--out", "out", ...args, ...(isJson ? ["--json"] : [])];
      const { exitCode, stdout, stderr } = await assay(words, {
        cwd,
        env: { ...env, ...more.env },
      });

      const said = `${stdout}${stderr}`;
      expect(exitCode).not.toBe(0);
      expect(said).toContain(isJson ? JSON.stringify(shown).slice(1, -1) : shown);
      expect(said).not.toContain("Quiet");
      expect(said).not.toContain("zq7");
    }
  });
});
