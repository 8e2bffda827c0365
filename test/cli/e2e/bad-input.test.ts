import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assay, folder, suiteText } from "./assay-process.ts";

const yaml = `
tasks: [{ id: a, intent: "", inputs: { instruction: x } }]
metrics: [{ type: exact-match, reference: x }]
`;

interface BadInput {
  readonly files?: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly message: string;
  readonly code: string;
}

const cases: readonly (readonly [string, BadInput])[] = [
  [
    "an output directory below a file",
    {
      files: { "s.eval.ts": suiteText({}), file: "" },
      args: ["run", "s.eval.ts", "--out", "file/x/y"],
      message: 'file" is no directory',
      code: "ASSAY_OUTPUT_EXISTS",
    },
  ],
  [
    "a suite that is missing",
    {
      args: ["run", "gone.eval.ts"],
      message: "gone.eval.ts: there is no such file",
      code: "ASSAY_SUITE_NOT_FOUND",
    },
  ],
  [
    "a syntax error",
    {
      files: { "s.eval.ts": "const a = ;" },
      args: ["run", "s.eval.ts"],
      message: "s.eval.ts:1:11: syntax error: Unexpected token",
      code: "ASSAY_SUITE_LOAD_FAILED",
    },
  ],
  [
    "no default export",
    {
      files: { "s.eval.ts": "export const a = 1;" },
      args: ["run", "s.eval.ts"],
      message:
        "s.eval.ts: there is no default export (it exports a); expected `export default defineSuite({ ... })`",
      code: "ASSAY_SUITE_INVALID",
    },
  ],
  [
    "a default export of the wrong shape",
    {
      files: { "s.eval.ts": "export default 3;" },
      args: ["run", "s.eval.ts"],
      message:
        "s.eval.ts: the suite is a number; expected defineSuite({ name, tasks, metrics, target })",
      code: "ASSAY_SUITE_INVALID",
    },
  ],
  [
    "a missing import inside",
    {
      files: { "s.eval.ts": `import "./a.ts";`, "a.ts": `\nimport "./gone.ts";` },
      args: ["run", "s.eval.ts"],
      message: `a.ts:2:8: cannot find "./gone.ts"`,
      code: "ASSAY_SUITE_LOAD_FAILED",
    },
  ],
  [
    "a suite that never finishes loading",
    {
      files: { "s.eval.ts": "await new Promise(() => {});" },
      args: ["run", "s.eval.ts"],
      message: "s.eval.ts: nothing is left to wait for",
      code: "ASSAY_SUITE_LOAD_FAILED",
    },
  ],
  [
    "an unknown key",
    {
      files: { "s.eval.ts": suiteText({ more: "failFats: true," }) },
      args: ["run", "s.eval.ts"],
      message: `s.eval.ts: unknown key "failFats" (did you mean "failFast"?)`,
      code: "ASSAY_CONFIG_UNKNOWN_KEY",
    },
  ],
  [
    "a camelCase key in YAML",
    {
      files: { "s.yaml": `${yaml}trialsPerTask: 2\n` },
      args: ["run", "s.yaml"],
      message: `s.yaml:4:1: unknown key "trialsPerTask" (did you mean "trials_per_task"?)`,
      code: "ASSAY_CONFIG_UNKNOWN_KEY",
    },
  ],
  [
    "a misspelt metric",
    {
      files: { "s.yaml": yaml.replace("exact-match", "exact-mach") },
      args: ["run", "s.yaml"],
      message: `s.yaml:3:11: no metric is called "exact-mach" (did you mean "exact-match"?)`,
      code: "ASSAY_NAME_UNKNOWN",
    },
  ],
  [
    "an unknown setting of a metric",
    {
      files: { "s.yaml": yaml.replace("reference:", "refrence:") },
      args: ["run", "s.yaml"],
      message: `s.yaml:3:32: metric "exact-match": unknown key "refrence" (did you mean "reference"?)`,
      code: "ASSAY_CONFIG_UNKNOWN_KEY",
    },
  ],
  [
    "a misspelt runner",
    {
      files: { "s.yaml": `${yaml}target: { kind: calable }\n` },
      args: ["run", "s.yaml"],
      message: `s.yaml:4:11: no runner is called "calable" (did you mean "callable"?)`,
      code: "ASSAY_NAME_UNKNOWN",
    },
  ],
  [
    "a function in YAML",
    {
      files: { "s.yaml": `${yaml}target: { kind: callable }\n` },
      args: ["run", "s.yaml"],
      message: "is a function and cannot be written in YAML or JSON",
      code: "ASSAY_CONFIG_INVALID",
    },
  ],
  [
    "duplicate ids",
    {
      files: { "s.eval.ts": suiteText({ ids: ["a", "b", "a"] }) },
      args: ["run", "s.eval.ts"],
      message: `s.eval.ts: tasks[2]: the task id "a" is already used at tasks[0]`,
      code: "ASSAY_TASK_DUPLICATE",
    },
  ],
  [
    "a task without metrics",
    {
      files: { "s.yaml": yaml.replace(/metrics.*/, "") },
      args: ["run", "s.yaml"],
      message: `s.yaml:2:9 ("a"): no metric; give the task or the suite at least one`,
      code: "ASSAY_TASK_INVALID",
    },
  ],
  [
    "a view on an unknown output",
    {
      files: {
        "s.yaml": yaml.replace(
          "inputs:",
          "views: { v: { reducer: all, signals: [{ metric: exact-match, output: score }] } }, inputs:",
        ),
      },
      args: ["run", "s.yaml"],
      message: `views.v.signals[0]: the metric "exact-match" has no output "score"; it gives exact-match`,
      code: "ASSAY_TASK_INVALID",
    },
  ],
  [
    "no target",
    {
      files: { "s.yaml": yaml },
      args: ["run", "s.yaml"],
      message: "give exactly one of a target and imported trials; there is neither",
      code: "ASSAY_SUITE_INVALID",
    },
  ],
  [
    "an unknown task",
    {
      files: { "s.eval.ts": suiteText({}) },
      args: ["run", "s.eval.ts", "--task", "aa"],
      message: `"aa"`,
      code: "ASSAY_NAME_UNKNOWN",
    },
  ],
  [
    "an unknown option of the target",
    {
      files: { "s.eval.ts": suiteText({}) },
      args: ["run", "s.eval.ts", "--set", "target.timeout=3"],
      message: `callable has no option "timeout"`,
      code: "ASSAY_CONFIG_UNKNOWN_KEY",
    },
  ],
  [
    "an option of the target with a wrong value",
    {
      files: { "s.eval.ts": suiteText({}) },
      args: ["run", "s.eval.ts", "--set", "target.timeout_s=soon"],
      message: "target.timeout_s: ",
      code: "ASSAY_CONFIG_INVALID",
    },
  ],
  [
    "a variable that sets nothing",
    {
      files: { "s.eval.ts": suiteText({}) },
      args: ["run", "s.eval.ts"],
      env: { ASSAY_SET_MODEL: "x" },
      message: "the environment variable ASSAY_SET_MODEL sets nothing",
      code: "ASSAY_USAGE",
    },
  ],
  [
    "parameters for a suite that takes none",
    {
      files: { "s.eval.ts": suiteText({}) },
      args: ["run", "s.eval.ts", "-P", "model=x"],
      message: `s.eval.ts takes no parameters, but "model" was given`,
      code: "ASSAY_USAGE",
    },
  ],
  [
    "a variable that sets an option that does not exist",
    {
      files: { "s.eval.ts": suiteText({}) },
      args: ["run", "s.eval.ts"],
      env: { ASSAY_SET_TARGET__NOPE: "x" },
      message: `ASSAY_SET_TARGET__NOPE: callable has no option "nope"; it has agent_fn,`,
      code: "ASSAY_CONFIG_UNKNOWN_KEY",
    },
  ],
  [
    "help of a command that does not exist",
    {
      args: ["help", "rnu"],
      message: "unknown command 'rnu' (Did you mean run?)",
      code: "ASSAY_USAGE",
    },
  ],
  [
    "an unknown flag",
    {
      args: ["run", "s.eval.ts", "--trails", "3"],
      message: "unknown option '--trails' (Did you mean --trials?)",
      code: "ASSAY_USAGE",
    },
  ],
  [
    "an unknown command",
    { args: ["rum"], message: "unknown command 'rum' (Did you mean run?)", code: "ASSAY_USAGE" },
  ],
  [
    "a missing argument",
    { args: ["show"], message: "missing required argument 'bundle'", code: "ASSAY_USAGE" },
  ],
  [
    "a bundle that is missing",
    { args: ["show", "gone"], message: "gone", code: "ASSAY_BUNDLE_NOT_FOUND" },
  ],
  [
    "a misspelt metric as the name of a schema",
    {
      args: ["schema", "exact-mach"],
      message: `there is no schema "exact-mach" (did you mean "exact-match"?)`,
      code: "ASSAY_NAME_UNKNOWN",
    },
  ],
  [
    "an unknown schema",
    {
      args: ["schema", "trail"],
      message: `there is no schema "trail" (did you mean "trial"?)`,
      code: "ASSAY_NAME_UNKNOWN",
    },
  ],
];

describe("wrong input ends with exit code 2 and one message that says what to do", () => {
  it.each(cases)("%s", async (_name, { files = {}, args, env = {}, message, code }) => {
    const cwd = folder(files);
    const { exitCode, stdout, stderr } = await assay(args, { cwd, env });

    expect(stderr).toContain(message);
    expect(stderr).toMatch(new RegExp(`^error: .*\n(?:  .*\n)*?  fix: .+\n  code: ${code}\n$`));
    expect(stdout).toBe("");
    expect(exitCode).toBe(2);
    expect(
      readdirSync(cwd)
        .filter((name) => !name.startsWith("."))
        .sort(),
    ).toEqual(Object.keys(files).sort());
  });

  it("with --json, the error is the one document on stdout", async () => {
    const { exitCode, stdout, stderr } = await assay(["run", "gone.yaml", "--json"], {
      cwd: folder({}),
    });

    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: "ASSAY_SUITE_NOT_FOUND",
        message: "gone.yaml: there is no such file",
        remedy: "Check the path given to the command.",
        exit_code: 2,
      },
    });
    expect(stderr).toBe("");
    expect(exitCode).toBe(2);
  });

  it("an output directory that holds a run is left as it is", async () => {
    const cwd = folder({ "s.eval.ts": suiteText({}) });
    await assay(["run", "s.eval.ts", "--out", "run"], { cwd });
    const before = contents(join(cwd, "run"));

    const { exitCode, stderr } = await assay(["run", "s.eval.ts", "--out", "run"], { cwd });

    expect(stderr).toContain("already holds a run");
    expect(exitCode).toBe(2);
    expect(contents(join(cwd, "run"))).toEqual(before);
  });

  it("a place for scratch that cannot be written ends with exit code 3 before anything is run", async () => {
    const agent = `async () => { console.error("it ran"); return ""; }`;
    const cwd = folder({ "s.eval.ts": suiteText({ agent }) });
    const { exitCode, stderr } = await assay(["run", "s.eval.ts"], {
      cwd,
      env: { XDG_CACHE_HOME: "/proc/nowhere" },
    });

    expect(stderr).toContain("  fix: Set XDG_CACHE_HOME to a directory that can be written.\n");
    expect(stderr).toContain("  code: ASSAY_SCRATCH_UNUSABLE\n");
    expect(stderr).not.toContain("it ran");
    expect(exitCode).toBe(3);
  });

  it("an output directory that cannot be made ends with exit code 2 before anything is run", async () => {
    const agent = `async () => { console.error("it ran"); return ""; }`;
    const cwd = folder({ "s.eval.ts": suiteText({ agent }) });
    const { exitCode, stderr } = await assay(["run", "s.eval.ts", "--out", "/proc/x/y"], { cwd });

    expect(stderr).toContain("  fix: Give another directory with --out.\n");
    expect(stderr).toContain("  code: ASSAY_OUTPUT_UNUSABLE\n");
    expect(stderr).not.toMatch(/it ran|reported as done/);
    expect(exitCode).toBe(2);
  });

  it("a missing secret ends with exit code 3, naming it", async () => {
    const cwd = folder({ "s.eval.ts": suiteText({ more: `secrets: ["E2E_API_KEY"],` }) });
    const { exitCode, stderr } = await assay(["run", "s.eval.ts"], { cwd });

    expect(stderr).toContain("E2E_API_KEY");
    expect(exitCode).toBe(3);
  });

  it("a credential of the environment does not come back in the message", async () => {
    const cwd = folder({ "s.eval.ts": `throw new Error("bad key " + process.env.E2E_API_KEY);` });
    const { stderr } = await assay(["run", "s.eval.ts"], {
      cwd,
      env: { E2E_API_KEY: "hunter2-hunter2" },
    });

    expect(stderr).toContain("s.eval.ts:1:");
    expect(stderr).not.toContain("hunter2-hunter2");
  });
});

function contents(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(names.map((name) => [name, readFileSync(name, "utf8")]));
}
