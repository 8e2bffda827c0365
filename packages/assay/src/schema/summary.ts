import { z } from "zod";

import { dataMap, name } from "./free-form.ts";

const figure = () => z.number().nullable().default(null);
const wireNumber = () => z.union([z.number(), z.literal(["NaN", "Infinity", "-Infinity"])]);

const percentilesSchema = z.strictObject({
  p10: z.number(),
  p20: z.number(),
  p30: z.number(),
  p40: z.number(),
  p50: z.number(),
  p60: z.number(),
  p70: z.number(),
  p80: z.number(),
  p90: z.number(),
  p100: z.number(),
});

export const histogramBinSchema = z.strictObject({
  lowerBound: z.number(),
  upperBound: z.number().describe("Excluded, but for the last bin."),
  count: z.int().nonnegative(),
});

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
  sum: figure(),
  mean: figure(),
  min: figure(),
  max: figure(),
  median: figure(),
  stdDev: figure().describe("Of the population."),
  variance: figure().describe("Of the population."),
  sampleStdDev: figure().describe("With n-1; null below two values."),
  sampleVariance: figure().describe("With n-1; null below two values."),
};

export const rangeAggregateSchema = z.strictObject({
  ...statistics,
  scoreType: z.literal("range"),
  percentiles: percentilesSchema.nullable().default(null),
  histogram: z
    .strictObject({ bins: z.array(histogramBinSchema) })
    .nullable()
    .default(null),
});

export const rubricAggregateSchema = z.strictObject({
  ...statistics,
  scoreType: z.literal("rubric"),
  rubricDistribution: z.array(
    z.strictObject({ label: z.string(), value: figure(), count: z.int().nonnegative() }),
  ),
  modeCategory: z
    .string()
    .nullable()
    .default(null)
    .describe("The most frequent label; ties go to the first by alphabet."),
});

const scalarAggregateSchema = z.strictObject({
  ...statistics,
  scoreType: z.literal("scalar"),
  value: z.number().describe("One figure as a backend reported it."),
});

export const aggregateSchema = z.discriminatedUnion("scoreType", [
  rangeAggregateSchema,
  rubricAggregateSchema,
  scalarAggregateSchema,
]);

export const coverageSchema = z.strictObject({
  total: z.int().nonnegative(),
  scored: z.int().nonnegative(),
  failed: z.int().nonnegative().describe("The metric or the trial failed."),
  missing: z.int().nonnegative().describe("Scored, but this output was not among the values."),
});

export const taskMetricValueSchema = z.strictObject({
  trialId: name(),
  valueType: z.enum(["number", "label", "missing"]),
  value: z.union([wireNumber(), z.boolean(), z.string(), z.null()]),
});

/** Values by metric, in trial order. */
export const taskMetricValuesSchema = dataMap(z.array(taskMetricValueSchema));

/** `summary.json`: a function of the set of rows, whatever order they came in. */
export const summarySchema = z.strictObject({
  scores: z.strictObject({ scores: z.array(aggregateSchema).default([]) }).default({ scores: [] }),
  metricCoverage: dataMap(dataMap(coverageSchema)).default({}),
  taskMetricValues: dataMap(taskMetricValuesSchema).default({}),
  errorTrialIds: dataMap(z.array(z.string())).default({}).describe("Trial ids by `error.type`."),
  taskCount: z.int().nonnegative().default(0),
  trialCount: z.int().nonnegative().default(0),
  scoreCount: z.int().nonnegative().default(0),
  errorCount: z.int().nonnegative().default(0),
});

export type Percentiles = Readonly<z.output<typeof percentilesSchema>>;
export type HistogramBin = Readonly<z.output<typeof histogramBinSchema>>;
export type Aggregate = Readonly<z.output<typeof aggregateSchema>>;
export type RangeAggregate = Readonly<z.output<typeof rangeAggregateSchema>>;
export type RubricAggregate = Readonly<z.output<typeof rubricAggregateSchema>>;
export type Coverage = Readonly<z.output<typeof coverageSchema>>;
export type TaskMetricValue = Readonly<z.output<typeof taskMetricValueSchema>>;
export type Summary = Readonly<z.output<typeof summarySchema>>;
