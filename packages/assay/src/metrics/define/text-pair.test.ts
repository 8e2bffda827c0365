import { describe, expect, it } from "vitest";

import { needsOf, textTemplate } from "./text-pair.ts";

describe("needsOf", () => {
  it.each([
    ["{{ output_text }}", ["text"]],
    ["{{ sample.output_text }}", ["text"]],
    ["{{ sample['response'].choices[0] }}", ["response"]],
    ["{{ reward }} of {{ response }}", ["response", "reward"]],
    ["{{ output_text | upper }}", ["text"]],
    ["{{ output_text | default('') }}", []],
    ["{{ item.reference.answer }}", []],
    ["{{ item.output_text }}", []],
    ["constant", []],
  ])("of %s are %j", (template, needs) => {
    expect(needsOf(textTemplate(template, "m.f"))).toStrictEqual(needs);
  });
});
