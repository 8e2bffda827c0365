import { z } from "zod";

import type { MetricInput, MetricNeed, MetricTask } from "../../contracts/metric.ts";
import type { JsonObject } from "../../support/json.ts";
import type { CompiledTemplate } from "../../templates/compiled-template.ts";
import { metricContext, taskContext } from "../../templates/metric-context.ts";
import { compileTemplate, renderString } from "../../templates/template.ts";
import { inputAbsent } from "./metric-failure.ts";

/** Settings of a metric that compares the candidate with a reference. */
export const textPairSettings = {
  /** Template of the expected text. */
  reference: z.string().describe("Template of the expected text."),
  /** Template of the text that is scored. Default: the output text of the trial. */
  candidate: z
    .string()
    .optional()
    .describe("Template of the text that is scored. Default: the output text of the trial."),
};

export const textPairSchema = z.strictObject(textPairSettings);

/** A template of a metric that must give text. */
export interface TextTemplate {
  readonly paths: CompiledTemplate["paths"];
  /** See `CompiledTemplate`. */
  checkTask(context: JsonObject): void;
  /** Throws `ASSAY_TEMPLATE_UNDEFINED`, `ASSAY_TEMPLATE_INVALID`. */
  read(input: MetricInput): string;
}

export interface TextPair {
  readonly reference: TextTemplate;
  readonly candidate: TextTemplate;
}

export function textTemplate(template: string, name: string): TextTemplate {
  const compiled = compileTemplate(template, { name });
  const { paths, isConstant } = compiled;
  if (isConstant) {
    const text = renderString(compiled, {}, name);
    return { paths, checkTask: () => {}, read: () => text };
  }
  return {
    paths,
    ...checkedBy(compiled, (context) => renderString(compiled, context, name)),
    read: (input) => renderString(compiled, metricContext(input), name),
  };
}

export function textPair(
  type: string,
  { reference, candidate }: z.output<typeof textPairSchema>,
): TextPair {
  return {
    reference: textTemplate(reference, `${type}.reference`),
    candidate:
      candidate === undefined ? outputText(type) : textTemplate(candidate, `${type}.candidate`),
  };
}

function outputText(type: string): TextTemplate {
  return {
    paths: [["output_text"]],
    checkTask: () => {},
    read: ({ candidate }) => {
      if (candidate.outputText !== null) return candidate.outputText;
      throw inputAbsent(
        type,
        "the trial has no output text; `candidate` can name another text to score",
      );
    },
  };
}

type TaskCheck = Pick<CompiledTemplate, "checkTask">;

/** The template's own check, and what the metric makes of its value, where the task settles that. */
export function checkedBy(
  template: CompiledTemplate,
  read: (context: JsonObject) => unknown,
): TaskCheck {
  return {
    checkTask: (context) => {
      template.checkTask(context);
      if (template.isOfTask) read(context);
    },
  };
}

/** Throws what the templates are sure to throw for every trial of the task. */
export function checkTemplates(task: MetricTask, ...templates: readonly TaskCheck[]): void {
  const context = taskContext(task);
  for (const template of templates) template.checkTask(context);
}

/** What templates read of a trial's output, directly or through `sample`. */
export function needsOf(...templates: readonly Pick<CompiledTemplate, "paths">[]): MetricNeed[] {
  const needs = new Set<MetricNeed>();
  for (const { paths } of templates) {
    for (const [head, second] of paths) {
      const need = needByName.get(String(head === "sample" ? second : head));
      if (need !== undefined) needs.add(need);
    }
  }
  return [...needs].sort();
}

const needByName: ReadonlyMap<string, MetricNeed> = new Map([
  ["output_text", "text"],
  ["response", "response"],
  ["reward", "reward"],
]);
