import { z } from "zod";

import { dataMap, name } from "./free-form.ts";

const figure = () => z.number().nullable().default(null);
const wireNumber = () => z.union([z.number(), z.literal(["NaN", "Infinity", "-Infinity"])]);

const percentilesSchema = z.strictObject({
  p10: z.number().describe("The 10th percentile."),
  p20: z.number().describe("The 20th percentile."),
  p30: z.number().describe("The 30th percentile."),
  p40: z.number().describe("The 40th percentile."),
  p50: z.number().describe("The 50th percentile."),
  p60: z.number().describe("The 60th percentile."),
  p70: z.number().describe("The 70th percentile."),
  p80: z.number().describe("The 80th percentile."),
  p90: z.number().describe("The 90th percentile."),
  p100: z.number().describe("The 100th percentile."),
});

export const histogramBinSchema = z.strictObject({
  lowerBound: z.number().describe("Included."),
  upperBound: z.number().describe("Excluded, but for the last bin."),
  count: z.int().nonnegative().describe("Values in it."),
});

const scoreTypeMeaning =
  "`range` for numbers, `rubric` for labels, `scalar` for a figure of a backend.";

const statistics = {
  name: name().describe(
    "`<metric>.<output>`, `view.<name>`, `<metric>.<output>.pass@<k>` or `runner.<runner>.<name>`.",
  ),
  count: z
    .int()
    .nonnegative()
    .nullable()
    .default(null)
    .describe("Values that entered; null when unknown, which is not 0."),
  nanCount: z.int().nonnegative().default(0).describe("Observations that gave no value."),
  sum: figure().describe("Of the values; null without any."),
  mean: figure().describe("Arithmetic; null without values."),
  min: figure().describe("The least value."),
  max: figure().describe("The greatest value."),
  median: figure().describe("Of an even number of values, the mean of the two in the middle."),
  stdDev: figure().describe("Of the population."),
  variance: figure().describe("Of the population."),
  sampleStdDev: figure().describe("With n-1; null below two values."),
  sampleVariance: figure().describe("With n-1; null below two values."),
};

export const rangeAggregateSchema = z.strictObject({
  ...statistics,
  scoreType: z.literal("range").describe(scoreTypeMeaning),
  percentiles: percentilesSchema.nullable().default(null).describe("Null without values."),
  histogram: z
    .strictObject({
      bins: z.array(histogramBinSchema).describe("From the least value to the greatest."),
    })
    .nullable()
    .default(null)
    .describe("Null without values."),
});

export const rubricAggregateSchema = z.strictObject({
  ...statistics,
  scoreType: z.literal("rubric").describe(scoreTypeMeaning),
  rubricDistribution: z
    .array(
      z.strictObject({
        label: z.string().describe("As the metric gave it."),
        value: figure().describe("What the label is worth, where it is worth something."),
        count: z.int().nonnegative().describe("How often it was given."),
      }),
    )
    .describe("Each label that was given."),
  modeCategory: z
    .string()
    .nullable()
    .default(null)
    .describe("The most frequent label; ties go to the first by alphabet."),
});

const scalarAggregateSchema = z.strictObject({
  ...statistics,
  scoreType: z.literal("scalar").describe(scoreTypeMeaning),
  value: z.number().describe("One figure as a backend reported it."),
});

export const aggregateSchema = z.discriminatedUnion("scoreType", [
  rangeAggregateSchema,
  rubricAggregateSchema,
  scalarAggregateSchema,
]);

export const coverageSchema = z.strictObject({
  total: z.int().nonnegative().describe("Trials of tasks that have the metric."),
  scored: z.int().nonnegative().describe("Trials for which it gave outputs."),
  failed: z.int().nonnegative().describe("The metric or the trial failed."),
  missing: z.int().nonnegative().describe("Scored, but this output was not among the values."),
});

export const taskMetricValueSchema = z.strictObject({
  trialId: name().describe("As in trials.jsonl."),
  valueType: z.enum(["number", "label", "missing"]).describe("How `value` is to be read."),
  value: z
    .union([wireNumber(), z.boolean(), z.string(), z.null()])
    .describe("Null where it is missing."),
});

/** Values by metric, in trial order. */
export const taskMetricValuesSchema = dataMap(z.array(taskMetricValueSchema));

/** `summary.json`: a function of the set of rows, whatever order they came in. */
export const summarySchema = z.strictObject({
  scores: z
    .strictObject({
      scores: z
        .array(aggregateSchema)
        .default([])
        .describe("One for each output, view and pass@k, then those of the runner."),
    })
    .default({ scores: [] })
    .describe("The aggregates."),
  metricCoverage: dataMap(dataMap(coverageSchema))
    .default({})
    .describe("How much of the trials entered, by metric and output."),
  taskMetricValues: dataMap(taskMetricValuesSchema)
    .default({})
    .describe("Each value, by task and output."),
  errorTrialIds: dataMap(z.array(z.string())).default({}).describe("Trial ids by `error.type`."),
  taskCount: z.int().nonnegative().default(0).describe("Tasks of the plan."),
  trialCount: z.int().nonnegative().default(0).describe("Trials in the bundle."),
  scoreCount: z.int().nonnegative().default(0).describe("Rows of scores.jsonl."),
  errorCount: z.int().nonnegative().default(0).describe("Trials with an error."),
});

export type Percentiles = Readonly<z.output<typeof percentilesSchema>>;
export type HistogramBin = Readonly<z.output<typeof histogramBinSchema>>;
export type Aggregate = Readonly<z.output<typeof aggregateSchema>>;
export type RangeAggregate = Readonly<z.output<typeof rangeAggregateSchema>>;
export type RubricAggregate = Readonly<z.output<typeof rubricAggregateSchema>>;
export type Coverage = Readonly<z.output<typeof coverageSchema>>;
export type TaskMetricValue = Readonly<z.output<typeof taskMetricValueSchema>>;
export type Summary = Readonly<z.output<typeof summarySchema>>;
