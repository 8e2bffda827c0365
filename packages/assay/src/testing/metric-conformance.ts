import type {
  Metric,
  MetricContext,
  MetricInput,
  MetricOutputSpec,
  MetricResult,
} from "../contracts/metric.ts";
import { messageOf } from "../errors/assay-error.ts";
import { asMetric } from "../metrics/define/as-metric.ts";
import { coerceResult } from "../metrics/define/coerce-result.ts";
import { canonicalJson } from "../support/canonical-json.ts";
import { formatRow } from "../support/json.ts";
import { type ConformanceCheck, check } from "./conformance/check.ts";

/** One trial that the metric must be able to score. */
export interface MetricCase {
  readonly name: string;
  readonly input: MetricInput;
}

export interface MetricConformance {
  /** Makes the metric anew; every call with the same settings. */
  readonly make: () => Metric;
  readonly cases: readonly MetricCase[];
  readonly context: MetricContext;
}

/**
 * The rules that every metric keeps, as checks for any test framework:
 * `for (const { name, run } of metricConformance({...})) it(name, run)`.
 */
export function metricConformance(subject: MetricConformance): ConformanceCheck[] {
  const { make, cases } = subject;
  return [
    check("has a type, a configuration and outputs of different names", () => {
      asMetric(make());
    }),
    check("gives the same configuration, byte for byte, for the same settings", () => {
      const [first, second] = [make(), make()].map(identityOf);
      if (first !== second) throw new Error(`${first} is not ${second}`);
    }),
    check("declares absent values that fit their outputs", () => {
      for (const output of make().outputs) checkAbsent(make(), output);
    }),
    ...cases.flatMap((trial) => caseChecks(subject, trial)),
  ];
}

function identityOf({ type, version, config }: Metric): string {
  return canonicalJson({ type, version, config });
}

function checkAbsent(metric: Metric, output: MetricOutputSpec): void {
  if (output.absent === "unscored") return;
  const only = { type: metric.type, outputs: [output] };
  const { unscored } = coerceResult(only, { outputs: { [output.name]: output.absent } });
  if (unscored.length > 0) throw new Error(`the absent value of "${output.name}" is no value`);
}

function caseChecks(subject: MetricConformance, { name, input }: MetricCase): ConformanceCheck[] {
  const compute = (context = subject.context) => subject.make().compute(input, context);
  return [
    check(`${name}: gives every declared output, of its kind`, async () => {
      coerceResult(subject.make(), await compute());
    }),
    check(`${name}: gives the same result again`, async () => {
      const [first, second] = [formatRow(await compute()), formatRow(await compute())];
      if (first !== second) throw new Error(`${first} is not ${second}`);
    }),
    check(`${name}: gives diagnostics that can be stored`, async () => {
      for (const { details } of diagnosticsOf(await compute())) canonicalJson(details ?? {});
    }),
    check(`${name}: changes nothing of what it is given`, async () => {
      const before = formatRow(dataOf(input));
      await compute();
      const after = formatRow(dataOf(input));
      if (before !== after) throw new Error(`${before} became ${after}`);
    }),
    check(`${name}: ends when it is cancelled`, async () => {
      await endsWhenCancelled(compute, subject.context);
    }),
  ];
}

function diagnosticsOf({ diagnostics }: MetricResult): NonNullable<MetricResult["diagnostics"]> {
  return diagnostics ?? [];
}

/** The input without its evidence, which is no data. */
function dataOf({ row, candidate }: MetricInput): unknown {
  const { outputText, response, metadata } = candidate;
  return { row, outputText, response, metadata };
}

async function endsWhenCancelled(
  compute: (context: MetricContext) => Promise<MetricResult>,
  context: MetricContext,
): Promise<void> {
  const controller = new AbortController();
  const ended = compute({ ...context, signal: controller.signal }).then(
    () => {},
    (thrown: unknown) => messageOf(thrown),
  );
  controller.abort(new Error("cancelled by the conformance kit"));
  const limit = new AbortController();
  const late = context.clock.sleep(5000, limit.signal).then(
    () => true,
    () => false,
  );
  const isLate = await Promise.race([ended.then(() => false), late]);
  limit.abort();
  if (isLate) throw new Error("it was still at work 5 s after its signal was aborted");
}
