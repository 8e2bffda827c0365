import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { diffBundles, readBundle } from "assay/bundle";
import { describe, expect, it } from "vitest";

import { suiteOf } from "../rescore-kit.ts";
import { constant, refusal, storedRows, tasks } from "../run-kit.ts";
import { placed, spoilt } from "./hostile-tables.ts";
import { forgeText, sealedRun, verified } from "./verify-kit.ts";

type Run = Awaited<ReturnType<typeof sealedRun>>;

/** What the commands read. */
const readers = {
  show: async ({ dir }: Run) => {
    const bundle = await readBundle(dir, { env: {} });
    await bundle.formatSummary();
    await bundle.assertUnaltered();
  },
  diff: async ({ dir }: Run) => await diffBundles((await sealedRun()).dir, dir),
  rescore: async ({ dir, root, evaluator }: Run) => {
    const suite = await suiteOf(root, tasks(2), [constant()]);
    await evaluator.rescore(dir, suite, { workDir: join(root, "again") });
  },
};

const read = [...placed, ...spoilt].flatMap((hostile) =>
  (hostile.refusedBy ?? []).map((command) => ({ ...hostile, command })),
);

describe("a stranger's bundle that is resealed", () => {
  it.each(read)("with $what is refused by $command as by verify", async (hostile) => {
    const run = await sealedRun();
    writeFileSync(join(run.root, "outside"), "secret of the reader");
    const [row] = storedRows(run.dir, "evidence.jsonl");
    hostile.make(run.dir, join(run.dir, String(row?.["path"]), ".."));

    const refused = await refusal(() => readers[hostile.command](run));

    expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exitCode: 5 });
    expect(refused.message).toContain(hostile.message);
    const problems = (await verified(run.dir)).problems.map(({ message }) => message);
    expect(problems.some((message) => refused.message.endsWith(message))).toBe(true);
  });

  it.each(["show", "diff", "rescore"] as const)(
    "is read by %s when it holds U+FFFD, which is a character like any other",
    async (command) => {
      const run = await sealedRun();
      for (const name of ["trials.jsonl", "tasks.jsonl", "scores.jsonl"])
        forgeText(run.dir, name, (text) =>
          text.replace('"metadata":{}', '"metadata":{"a":"\uFFFD"}'),
        );

      await readers[command](run);
    },
  );
});
