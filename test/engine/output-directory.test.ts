import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bench, constant, eager, refusal, tasks } from "./run-kit.ts";

describe("an output directory inside of a bundle", () => {
  const within = async () => {
    const here = bench();
    const request = { tasks: tasks(1), metrics: [constant()], target: eager() };
    const result = await here.evaluator.run({ ...request, config: { workDir: here.workDir } });
    mkdirSync(join(here.root, "elsewhere"));
    symlinkSync(join(here.workDir, "evidence.d"), join(here.root, "elsewhere/link"));
    mkdirSync(join(here.workDir, "evidence.d"));
    return { ...here, request, result };
  };

  it.each(["run/sub", "run/deep/er/sub", "elsewhere/link/sub", "elsewhere/../run/sub"])(
    "is refused by run and by persist: %s",
    async (name) => {
      const { evaluator, root, workDir, request, result } = await within();
      const before = readdirSync(workDir);
      const other = await evaluator.run(request);
      const inside = join(root, name);

      for (const call of [
        () => evaluator.run({ ...request, config: { workDir: inside } }),
        () => other.persist(inside),
      ]) {
        const refused = await refusal(call);
        expect(refused).toMatchObject({ code: "ASSAY_OUTPUT_EXISTS", exitCode: 2 });
        expect(refused.message).toContain(workDir);
      }
      expect(readdirSync(workDir)).toEqual(before);
      expect(await refusal(() => result.persist(inside))).toMatchObject({ exitCode: 2 });
    },
  );

  it.each(["{", '{"scripts":{}}', '{"run_id":1,"artifacts":{}}'])(
    "is no such thing when what is called run.json is another's: %s",
    async (text) => {
      const here = bench();
      writeFileSync(join(here.root, "run.json"), text);
      const request = { tasks: tasks(1), metrics: [constant()], target: eager() };

      const result = await here.evaluator.run({ ...request, config: { workDir: here.workDir } });

      expect(result.status).toBe("completed");
    },
  );
});

describe("an output directory in what is run", () => {
  /** A run whose runner digests the folder `input`, written to `out`. */
  const run = async (out: string) => {
    const here = bench();
    mkdirSync(join(here.root, "input/sub"), { recursive: true });
    symlinkSync("input/sub", join(here.root, "link"));
    const target = eager({
      contentDigest: async (_task, { files }) => {
        for await (const { path } of files.walk(join(here.root, "input"))) void path;
        return null;
      },
    });
    const request = { tasks: tasks(1), metrics: [constant()], target };
    return here.evaluator.run({ ...request, config: { workDir: join(here.root, out) } });
  };

  it.each(["input", "input/run", "input/new/run", "link/run", "inputs/../input/run"])(
    "is refused with the folder that it lies in: %s",
    async (out) => {
      expect(await refusal(() => run(out))).toMatchObject({
        code: "ASSAY_OUTPUT_UNUSABLE",
        exitCode: 2,
      });
    },
  );

  it.each(["run", "inputs", "input-2/run"])("is no such thing beside it: %s", async (out) => {
    expect((await run(out)).status).toBe("completed");
  });
});

describe("an output directory that cannot be taken", () => {
  it("is refused untouched when it holds a run, before any tool is asked", async () => {
    const here = bench();
    const request = { tasks: tasks(1), metrics: [constant()], target: eager() };
    await here.evaluator.run({ ...request, config: { workDir: here.workDir } });
    const before = readdirSync(here.workDir);
    let probes = 0;
    const probed = eager({
      probe: async () => {
        probes += 1;
        return { version: null, resolved: {} };
      },
    });

    const refused = await refusal(() =>
      here.evaluator.run({ ...request, target: probed, config: { workDir: here.workDir } }),
    );

    expect(refused).toMatchObject({ code: "ASSAY_OUTPUT_EXISTS", exitCode: 2 });
    expect(refused.message).toContain(here.workDir);
    expect(readdirSync(here.workDir)).toEqual(before);
    expect(probes).toBe(0);
  });

  it("is refused when it is a file", async () => {
    const here = bench();
    const file = join(here.root, "file");
    writeFileSync(file, "mine");

    const refused = await refusal(() =>
      here.evaluator.run({
        tasks: tasks(1),
        metrics: [constant()],
        target: eager(),
        config: { workDir: file },
      }),
    );

    expect(refused).toMatchObject({ code: "ASSAY_OUTPUT_EXISTS", exitCode: 2 });
    expect(here.leftovers()).toEqual([]);
  });

  it("is taken when it is there and holds something else", async () => {
    const here = bench();
    mkdirSync(here.workDir);
    writeFileSync(join(here.workDir, "notes.md"), "mine");

    const result = await here.evaluator.run({
      tasks: tasks(1),
      metrics: [constant()],
      target: eager(),
      config: { workDir: here.workDir },
    });

    expect(result.status).toBe("completed");
    expect(readdirSync(here.workDir)).toContain("notes.md");
  });
});

describe("an output directory in which a run was killed before its first file was whole", () => {
  it("is taken, and what it held of that file goes", async () => {
    const here = bench();
    mkdirSync(here.workDir);
    writeFileSync(join(here.workDir, ".run.json.0123456789ab.tmp"), "{");
    writeFileSync(join(here.workDir, "notes.txt"), "mine");
    const request = { tasks: tasks(1), metrics: [constant()], target: eager() };

    await here.evaluator.run({ ...request, config: { workDir: here.workDir } });

    expect(readdirSync(here.workDir)).toContain("notes.txt");
    expect(readdirSync(here.workDir).filter((name) => name.startsWith("."))).toEqual([]);
  });
});
