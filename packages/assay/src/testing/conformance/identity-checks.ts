import assert from "node:assert/strict";
import { homedir, hostname, tmpdir } from "node:os";
import {
  type AgentTaskRunner,
  optionalRunnerMethods,
  requiredRunnerMethods,
  runnerContractVersion,
} from "../../contracts/runner.ts";
import { parseValue } from "../../schema/codec.ts";
import { runnerInfoSchema } from "../../schema/run-metadata.ts";
import { isPending } from "../../support/is-pending.ts";
import { describeKind, formatRow, parseJson } from "../../support/json.ts";
import { type ConformanceCheck, check } from "./check.ts";
import { bind } from "./run-scenario.ts";
import type { RunnerSubject } from "./subject.ts";

/** Who the runner says it is. */
export function identityChecks<O extends object>({
  make,
}: RunnerSubject<O>): readonly ConformanceCheck[] {
  return [
    check("has every member of the contract, each of its type", () => assertMembers(make())),
    check("says who it is at once and in the same bytes each time", () => {
      const runner = make();
      const info = runner.runnerInfo();
      assert.ok(!isPending(info), "runnerInfo must be synchronous");
      assert.equal(formatRow(runner.runnerInfo()), formatRow(info));
    }),
    check("gives equal bytes for equal options, in another instance and another folder", () => {
      const bytes = ["/assay-conformance/a", "/assay-conformance/other/b"].map((baseDir) =>
        formatRow(bind(make(), baseDir).runnerInfo()),
      );
      assert.equal(formatRow(make().runnerInfo()), formatRow(make().runnerInfo()));
      assert.equal(bytes[0], bytes[1]);
    }),
    check("records nothing but plain JSON", () => {
      const info = bind(make(), "").runnerInfo();
      const record = parseValue(runnerInfoSchema, info, { source: "runnerInfo" });
      assert.deepEqual(parseJson(formatRow(record), "runnerInfo"), record);
    }),
    check("records no memory address, source text, path or name of this machine", () => {
      for (const [place, text] of textsOf(bind(make(), "").runnerInfo(), "runnerInfo")) {
        const reason = whyUnstable(text);
        assert.equal(reason, null, `${place} (${JSON.stringify(text)}) ${reason}`);
      }
    }),
  ];
}

/** Names the member that is missing or of the wrong type. */
function assertMembers(runner: AgentTaskRunner): void {
  const members = runner as unknown as Readonly<Record<string, unknown>>;
  for (const name of requiredRunnerMethods) {
    assert.equal(
      typeof members[name],
      "function",
      `the member \`${name}\` is ${name in members ? describeKind(members[name]) : "missing"}`,
    );
  }
  for (const name of optionalRunnerMethods) {
    const value = members[name];
    assert.ok(
      value === undefined || typeof value === "function",
      `the member \`${name}\` is ${describeKind(value)}`,
    );
  }
  assert.equal(
    members["contractVersion"],
    runnerContractVersion,
    `the member \`contractVersion\` must be ${runnerContractVersion}`,
  );
}

function* textsOf(value: unknown, place: string): Generator<readonly [string, string]> {
  if (typeof value === "string") yield [place, value];
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    yield [place, key];
    yield* textsOf(item, `${place}.${key}`);
  }
}

function whyUnstable(text: string): string | null {
  if (/\b0x[0-9a-f]{4,}/i.test(text)) return "holds a memory address";
  if (/\[object |=>|\bfunction\b.*\{/s.test(text)) return "holds the text of an object or function";
  if (/^(\/|[A-Za-z]:\\|file:)/.test(text)) return "is an absolute path";
  const machine = [homedir(), tmpdir(), hostname()].filter((name) => name.length >= 6);
  const found = machine.find((name) => text.includes(name));
  return found === undefined ? null : `holds ${found}, which is of this machine`;
}
