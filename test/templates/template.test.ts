import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";

import { AssayError } from "../../packages/assay/src/errors/assay-error.ts";
import type { JsonObject, JsonValue } from "../../packages/assay/src/support/json.ts";
import {
  compileTemplate,
  renderString,
  type Template,
} from "../../packages/assay/src/templates/template.ts";

const item = { reference: { answer: "5", n: 5, rows: [{ k: "a" }] }, flag: true };
const sample = { agent_ok: true };
const context: JsonObject = { ...item, ...sample, item, sample };

const compile = (template: Template) =>
  compileTemplate(template, { name: "exact-match.reference" });

function failureOf(work: () => unknown): AssayError {
  try {
    work();
  } catch (thrown) {
    if (AssayError.isInstance(thrown)) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}

describe("compileTemplate", () => {
  it("knows which templates are constant", () => {
    expect(compile("text").isConstant).toBe(true);
    expect(compile({ a: ["text", 1, null] }).isConstant).toBe(true);
    expect(compile({ a: "{{ item.flag }}" }).isConstant).toBe(false);
    expect(compile("{{ 1 + 1 }}").isConstant).toBe(false);
  });

  it.each([
    ["{{ sample.output_text }}", [["sample", "output_text"]]],
    ["a {{ response.x[0] }}", [["response", "x", 0]]],
    ["{{ response.x | upper }}", [["response", "x"]]],
    [
      "{{ response.x[item.flag] }}",
      [
        ["item", "flag"],
        ["response", "x"],
      ],
    ],
    ["{{ response.text.upper() }}", [["response", "text"]]],
    ["{% for r in reference.rows %}{{ r.k | upper }}{% endfor %}", [["reference", "rows"]]],
    ["{{ reward | default(0) }}", []],
    [{ a: "{{ output_text }}", b: ["{{ reward }}"] }, [["output_text"], ["reward"]]],
    ["constant", []],
  ])("lists the paths that %j needs", (template, paths) => {
    expect(compile(template).paths).toStrictEqual(paths);
  });

  it.each(["{{ item.", "{% if x %}", "{{ 'a }}", "{{ 1 | nofilter }}", "{{ f(1) }}"])(
    "refuses %s before anything is rendered, naming the template",
    (template) => {
      const failure = failureOf(() => compile(template));

      expect(failure.code).toBe("ASSAY_TEMPLATE_INVALID");
      expect(failure.message).toMatch(/^exact-match\.reference: /);
    },
  );

  it("names the leaf of an object template that is wrong", () => {
    const failure = failureOf(() => compile({ body: { text: ["ok", "{{ x | nofilter }}"] } }));

    expect(failure.message).toContain("exact-match.reference.body.text[1]: ");
  });

  it.each(["include 'x'", "extends 'x'", "import 'x' as y", "from 'x' import y"])(
    "refuses {%% %s %%}: there are no other templates to load",
    (statement) => {
      expect(failureOf(() => compile(`{% ${statement} %}`)).message).toContain(
        "cannot load another",
      );
    },
  );

  it("says that nesting of lookups has an end", () => {
    const template = `{{ ${"item[".repeat(40)}1${"]".repeat(40)} }}`;

    expect(failureOf(() => compile(template)).message).toContain("nested too deep");
  });
});

describe("a value that does not exist", () => {
  it("is named with its template, the missing key, a suggestion and what there is", () => {
    const failure = failureOf(() => compile("{{ item.reference.answr }}").render(context));

    expect(failure.code).toBe("ASSAY_TEMPLATE_UNDEFINED");
    expect(failure.message).toBe(
      'exact-match.reference: "item.reference.answr" does not exist: "item.reference" has no key "answr" ' +
        '(did you mean "answer"?). item has: reference, flag; sample has: agent_ok',
    );
    expect(failure.data).toMatchObject({
      template: "exact-match.reference",
      path: "item.reference.answr",
      itemKeys: ["reference", "flag"],
      sampleKeys: ["agent_ok"],
    });
  });

  it.each([
    ["{{ item.reference.answr }}", '"item.reference" has no key "answr"'],
    ["{{ item.reference.answr | upper }}", '"item.reference" has no key "answr"'],
    ["{{ refrence.answer ~ 'x' }}", 'no value has this name (did you mean "reference"?)'],
    ["{{ item.reference.rows[3].k }}", '"item.reference.rows" is a list of 1'],
    ["{{ item.flag.deep }}", '"item.flag" is a boolean'],
    [
      "{% for r in item.reference.rows %}{{ r.z | upper }}{% endfor %}",
      '"r.z" does not exist. item has',
    ],
    [
      "{{ item.reference.rows[item.reference.n] | upper }}",
      '"item.reference.rows[item.reference.n]"',
    ],
  ])("is explained: %s", (template, explanation) => {
    expect(failureOf(() => compile(template).render(context)).message).toContain(explanation);
  });

  it.each([
    ["{{ sample.output_text }}", true],
    ["{{ output_text | upper }}", true],
    ["{{ response.choices[0] }}", true],
    ["{{ sample['response'][item.flag] }}", true],
    ["{{ reward }}", true],
    ["{{ item.reference.missing }}", false],
    ["{{ reference.missing | upper }}", false],
    ["{% for output_text in item.reference.rows %}{{ output_text.z ~ '' }}{% endfor %}", false],
  ])("of %s is an absent output: %s", (template, isInputAbsent) => {
    const failure = failureOf(() => compile(template).render(context));

    expect(failure.data["isInputAbsent"]).toBe(isInputAbsent);
  });

  it("lists the top-level names where there is no item and sample", () => {
    const failure = failureOf(() => compile("{{ taks_id }}").render({ task_id: "a", run_id: "b" }));

    expect(failure.message).toContain('(did you mean "task_id"?). Available: task_id, run_id');
  });
});

describe("the context", () => {
  it.each(["{{ value }}", "{{ value | tojson }}"])(
    "carries __proto__ as a key like any other: %s",
    (template) => {
      const value = JSON.parse('{"__proto__": {"polluted": true}}');

      const rendered = compile(template).render({ value });

      expect(Object.keys(rendered as object)).toStrictEqual(["__proto__"]);
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    },
  );

  it("is passed to the engine only as far as a template names it", () => {
    const unread = {
      get item(): never {
        throw new Error("read");
      },
    };
    const withTrap = Object.defineProperties(
      { name: "a" },
      Object.getOwnPropertyDescriptors(unread),
    );

    expect(compile("{{ name | upper }}").render(withTrap as unknown as JsonObject)).toBe("A");
  });
});

describe("the engine", () => {
  it("stops a template that runs away", () => {
    const template = compile(
      "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}",
    );

    expect(failureOf(() => template.render(context)).message).toContain("ran out of fuel");
  });

  it("works on after a template that failed", () => {
    failureOf(() => compile("{{ item.reference.rows | sum }}").render(context));

    expect(compile("{{ 'a' | upper }}").render(context)).toBe("A");
  });

  it("works on after it crashed on data that is nested too deep", () => {
    let deep: JsonValue = 1;
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];

    expect(failureOf(() => compile("{{ deep | length }}").render({ deep })).code).toBe(
      "ASSAY_TEMPLATE_INVALID",
    );
    expect(compile("{{ 'a' | upper }}").render(context)).toBe("A");
  });

  it("leaves nothing behind that ends the process when memory is collected after such a crash", async () => {
    const traps: unknown[] = [];
    const note = (thrown: unknown) => traps.push(thrown);
    let deep: JsonValue = 1;
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const earlier = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.on("uncaughtException", note);

    for (let crash = 0; crash < 5; crash += 1) {
      failureOf(() => compile("{{ deep | length }}").render({ deep }));
    }
    for (let turn = 0; turn < 5; turn += 1) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }

    process.off("uncaughtException", note);
    for (const listener of earlier) process.on("uncaughtException", listener);
    expect(traps).toEqual([]);
  });

  it("stops a macro that calls itself without end", () => {
    const template = compile("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}");

    expect(failureOf(() => template.render(context)).code).toBe("ASSAY_TEMPLATE_INVALID");
    expect(compile("{{ 'a' | upper }}").render(context)).toBe("A");
  });

  it("does not print its context", () => {
    expect(failureOf(() => compile("{{ debug() }}")).message).toContain('no function "debug"');
  });
});

describe("renderText", () => {
  it.each([
    ["{{ item.reference }}", "{'answer': '5', 'n': 5, 'rows': [{'k': 'a'}]}"],
    ["{{ item.flag }}", "True"],
    ["{{ item.reference.rows | tojson }}", '[{"k":"a"}]'],
    ["{{ item.reference.n + 1 }}", "6"],
    ["a {{ item.flag }}", "a True"],
    [5, "5"],
    ["constant", "constant"],
  ])("of %j is %j", (template, text) => {
    expect(compile(template).renderText(context)).toBe(text);
  });
});

describe("renderString", () => {
  it("gives text", () => {
    expect(renderString(compile("{{ item.reference.answer }}"), context, "m.f")).toBe("5");
  });

  it("refuses a value that is no text, with the way out", () => {
    const failure = failureOf(() =>
      renderString(compile("{{ item.reference.n }}"), context, "m.f"),
    );

    expect(failure.message).toBe("m.f: gives a value of type number, but text is needed");
    expect(failure.remedy).toContain("| string");
  });
});
