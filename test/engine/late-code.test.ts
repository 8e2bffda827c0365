import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentEvaluator, loadSuite } from "assay";
import { describe, expect, it } from "vitest";
import { nodeModuleWatch } from "../../packages/assay/src/platform/modules/node-module-watch.ts";
import { sha256Hex } from "../../packages/assay/src/support/digest.ts";
import { suiteFolder } from "./suite/suite-folder.ts";

interface CodeFile {
  readonly path: string;
  readonly sha256: string;
  readonly loaded: string;
}

interface Project {
  /** What stands at the suite's top, outside every function. */
  readonly top?: string;
  /** The agent's body; it gives a text. */
  readonly agent: string;
  readonly files: Readonly<Record<string, string>>;
  /** Files that are written anew when the suite has been loaded. */
  readonly changes?: Readonly<Record<string, string>>;
}

/** Runs a suite whose agent loads code; gives what the agent said and what the bundle says of the code. */
async function run({ top = "", agent, files, changes = {} }: Project) {
  const root = suiteFolder({ ...files, "scratch/.keep": "", "s.eval.ts": suite(top, agent) });
  const loaded = await loadSuite(join(root, "s.eval.ts"));
  for (const [file, text] of Object.entries(changes)) writeFileSync(join(root, file), text);
  const warnings: string[] = [];
  const workDir = join(root, "run");
  const evaluator = new AgentEvaluator({
    env: {},
    cwd: root,
    scratchParent: join(root, "scratch"),
  });
  const result = await evaluator.runSuite(loaded, {
    workDir,
    onEvent: (event) => {
      if (event.type === "warning") warnings.push(event.message);
    },
  });
  const [trial] = await result.trials.toArray();
  const { predicate } = JSON.parse(readFileSync(join(workDir, "provenance.json"), "utf8")) as {
    readonly predicate: {
      readonly code_files: readonly CodeFile[];
      readonly digests: { readonly code: string };
    };
  };
  const codeFiles = predicate.code_files.filter(({ path }) => path !== "s.eval.ts");
  return {
    said: trial?.output?.outputText ?? trial?.error?.message,
    codeFiles,
    warnings,
    digest: predicate.digests.code,
  };
}

const suite = (top: string, agent: string) => `
import { createRequire } from "node:module";
import { callable } from "assay/runners";
const require = createRequire(import.meta.url);
${top}
export default {
  name: "s",
  tasks: [{ id: "a", intent: "", inputs: { instruction: "go" } }],
  metrics: [{ type: "m", version: null, config: {}, needs: [],
    outputs: [{ name: "score", kind: "continuous", description: null, absent: 0 }],
    compute: async () => ({ outputs: { score: 1 } }) }],
  target: callable({ name: "x", agent: async () => { ${agent} } }),
};
`;

const good = `export const v = "good";`;
const evil = `export const v = "evil";`;
const goodCommonJs = `exports.v = "good";`;
const evilCommonJs = `exports.v = "evil";`;
const jsonModule = `{ "v": "good" }`;

const recorded = (path: string, text: string, loaded: string) => [
  { path, sha256: sha256Hex(text), loaded },
];

describe("code that is known when the suite is loaded", () => {
  const known: readonly [string, string, Project][] = [
    [
      "a module that is imported in the agent by a literal name",
      "m.ts",
      {
        agent: `return (await import("./m.ts")).v;`,
        files: { "m.ts": good },
        changes: { "m.ts": evil },
      },
    ],
    [
      "a module that is imported by a computed name at load, and again in the agent",
      "m.ts",
      {
        top: `const n = "m"; await import(\`./\${n}.ts\`);`,
        agent: `return (await import(\`./\${n}.ts\`)).v;`,
        files: { "m.ts": good },
        changes: { "m.ts": evil },
      },
    ],
    [
      "a CommonJS module that is imported in the agent by a literal name",
      "m.cjs",
      {
        agent: `return (await import("./m.cjs")).v;`,
        files: { "m.cjs": goodCommonJs },
        changes: { "m.cjs": evilCommonJs },
      },
    ],
    [
      "a module that is required in the agent by a literal name",
      "m.cjs",
      {
        agent: `return require("./m.cjs").v;`,
        files: { "m.cjs": goodCommonJs },
        changes: { "m.cjs": evilCommonJs },
      },
    ],
    [
      "a JSON file that is required in the agent by a literal name",
      "m.json",
      {
        agent: `return require("./m.json").v;`,
        files: { "m.json": jsonModule },
        changes: { "m.json": `{ "v": "evil" }` },
      },
    ],
    [
      "a module that is required by a computed name at load",
      "m.cjs",
      {
        top: `const n = "m"; const { v } = require(\`./\${n}.cjs\`);`,
        agent: "return v;",
        files: { "m.cjs": goodCommonJs },
        changes: { "m.cjs": evilCommonJs },
      },
    ],
    [
      "a module that is required under another name for require",
      "m.cjs",
      {
        top: `const load = require; const { v } = load("./m.cjs");`,
        agent: "return v;",
        files: { "m.cjs": goodCommonJs },
      },
    ],
  ];

  it.each(known)("%s runs with the bytes that were recorded", async (_what, file, project) => {
    const { said, codeFiles, warnings } = await run(project);

    expect(said).toBe("good");
    expect(codeFiles).toStrictEqual(recorded(file, project.files[file] ?? "", "before_run"));
    expect(warnings).toStrictEqual([]);
  });

  it.each(known)("%s enters the code digest", async (_what, file, project) => {
    const before = await run({ ...project, changes: {} });
    const after = await run({
      ...project,
      files: { [file]: `${project.files[file]}\n` },
      changes: {},
    });

    expect(after.digest).not.toBe(before.digest);
  });

  it("includes what a suite's function loads", async () => {
    const root = suiteFolder({
      "s.eval.ts": `export default async ({ model }) => (await import(\`./\${model}.ts\`)).default;`,
      "m.ts": `import "./inner.ts"; export default { name: "s", tasks: [{ id: "a", intent: "", inputs: { instruction: "" }, metrics: [
        { type: "m", version: null, config: {}, needs: [], outputs: [{ name: "o", kind: "continuous", description: null, absent: 0 }], compute: async () => ({ outputs: {} }) }] }] };`,
      "inner.ts": "export const later = () => import('./later.ts');",
      "later.ts": "export const x = 1;",
    });

    const { code } = await loadSuite(join(root, "s.eval.ts"), { parameters: { model: "m" } });

    expect(code?.files.map(({ path }) => path)).toStrictEqual([
      "inner.ts",
      "later.ts",
      "m.ts",
      "s.eval.ts",
    ]);
  });
});

describe("code that is first loaded while the trials run", () => {
  const late: readonly [string, string, Project][] = [
    [
      "a module that is imported by a computed name",
      "m.ts",
      { agent: `const n = "m"; return (await import(\`./\${n}.ts\`)).v;`, files: { "m.ts": good } },
    ],
    [
      "a CommonJS module that is imported by a computed name",
      "m.cjs",
      {
        agent: `const n = "m"; return (await import(\`./\${n}.cjs\`)).v;`,
        files: { "m.cjs": goodCommonJs },
      },
    ],
    [
      "a module that is required by a computed name",
      "m.cjs",
      {
        agent: `const n = "m"; return require(\`./\${n}.cjs\`).v;`,
        files: { "m.cjs": goodCommonJs },
      },
    ],
    [
      "a JSON file that is required by a computed name",
      "m.json",
      {
        agent: `const n = "m"; return require(\`./\${n}.json\`).v;`,
        files: { "m.json": jsonModule },
      },
    ],
    [
      "a module that a package requires",
      "m.cjs",
      {
        top: `import load from "loader";`,
        agent: `return load(new URL("./m.cjs", import.meta.url).pathname).v;`,
        files: {
          "m.cjs": goodCommonJs,
          "node_modules/loader/package.json": `{ "name": "loader", "main": "i.cjs" }`,
          "node_modules/loader/i.cjs": "module.exports = (file) => require(file);",
        },
      },
    ],
  ];

  it.each(late)(
    "%s is recorded with its digest, and the run warns of it",
    async (_what, file, project) => {
      const { said, codeFiles, warnings } = await run(project);

      expect(said).toBe("good");
      expect(codeFiles).toStrictEqual(recorded(file, project.files[file] ?? "", "during_run"));
      expect(warnings).toStrictEqual([expect.stringContaining(file)]);
    },
  );

  it.each(late)(
    "%s runs with the same bytes to the end of the run",
    async (_what, file, project) => {
      const { said, codeFiles } = await run({
        ...project,
        agent: `await (async () => { ${project.agent} })();
        require("node:fs").writeFileSync(new URL("./${file}", import.meta.url), "broken = = =");
        ${project.agent}`,
      });

      expect(said).toBe("good");
      expect(codeFiles).toStrictEqual(recorded(file, project.files[file] ?? "", "during_run"));
    },
  );
});

describe("what a CommonJS module imports by a computed name while the trials run", () => {
  it("is recorded, or the run says which module's imports it cannot see", async () => {
    const { said, codeFiles, warnings } = await run({
      top: `import { load } from "./l.cjs";`,
      agent: `return (await load("m")).v;`,
      files: {
        "l.cjs": "exports.load = (n) => import(`./${n}.mjs`);",
        "m.mjs": good,
      },
    });

    expect(said).toBe("good");
    const names = codeFiles.map(({ path, loaded }) => `${path} ${loaded}`);
    expect(names).toStrictEqual([
      "l.cjs before_run",
      ...(nodeModuleWatch.seesImports ? ["m.mjs during_run"] : []),
    ]);
    const named = nodeModuleWatch.seesImports ? "m.mjs" : "l.cjs";
    expect(warnings).toStrictEqual([expect.stringContaining(named)]);
  });
});

describe("CommonJS code that this process has run before", () => {
  it("is recorded with the bytes that were run, not with those on disk by now", async () => {
    const text = `import m from "./m.cjs"; export default { name: "s", labels: { v: m.v }, tasks: [{ id: "a", intent: "", inputs: { instruction: "" }, metrics: [
        { type: "m", version: null, config: {}, needs: [], outputs: [{ name: "o", kind: "continuous", description: null, absent: 0 }], compute: async () => ({ outputs: {} }) }] }] };`;
    const root = suiteFolder({ "s.eval.ts": text, "m.cjs": goodCommonJs });
    await loadSuite(join(root, "s.eval.ts"));
    writeFileSync(join(root, "m.cjs"), evilCommonJs);

    const { code, labels } = await loadSuite(join(root, "s.eval.ts"));

    expect(labels).toEqual({ v: "good" });
    expect(code?.files[0]).toStrictEqual({ path: "m.cjs", sha256: sha256Hex(goodCommonJs) });
  });
});

describe("a metric of the suite that throws", () => {
  it("is told with the place in the suite's code where it threw", async () => {
    const root = suiteFolder({
      "s.eval.ts": `import { z } from "zod";
import { defineMetric } from "assay";
import { callable } from "assay/runners";
import { grade } from "./lib/grade.ts";
const m = defineMetric({ type: "m", description: "d", config: z.strictObject({}),
  outputs: [{ name: "score", kind: "continuous" }],
  compute: async ({ candidate }) => ({ outputs: { score: grade(candidate.outputText) } }) });
export default { name: "s", tasks: [{ id: "a", intent: "", inputs: { instruction: "go" } }], metrics: [m()],
  target: callable({ name: "x", agent: async () => "5" }) };`,
      "lib/grade.ts": `interface Unused {}

export const grade = (text: string): number => {
  throw new Error("cannot grade " + text);
};`,
      "scratch/.keep": "",
    });
    const nodeModules = join(process.cwd(), "node_modules");
    symlinkSync(nodeModules, join(root, "node_modules"));
    const evaluator = new AgentEvaluator({
      env: {},
      cwd: root,
      scratchParent: join(root, "scratch"),
    });

    const result = await evaluator.runSuite(await loadSuite(join(root, "s.eval.ts")), {
      workDir: join(root, "run"),
    });

    const [score] = await result.scores.toArray();
    expect(score?.diagnostics[0]?.message).toBe("cannot grade 5 (at lib/grade.ts:4:9)");
  });
});
