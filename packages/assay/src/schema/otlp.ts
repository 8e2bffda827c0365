import { z } from "zod";

// Traces of OpenTelemetry in OTLP's JSON encoding, as far as they are read here. The names on the wire are camelCase
// too. All objects are open.

const keyValue = z.looseObject({
  key: z.string(),
  /** `{ stringValue }`, `{ intValue }`, `{ arrayValue: { values } }` and so on. */
  value: z.unknown().optional(),
});

const attributes = () =>
  z
    .array(keyValue)
    .nullish()
    .transform((given) => given ?? []);

/** Nanoseconds since the epoch: a string of digits, for a number of JavaScript cannot hold them. */
const instant = z.union([z.string(), z.number()]).nullish();

const event = z.looseObject({ name: z.string().nullish(), attributes: attributes() });

export const otlpSpanSchema = z.looseObject({
  traceId: z.string().nullish(),
  spanId: z.string().nullish(),
  parentSpanId: z.string().nullish(),
  name: z.string().nullish(),
  startTimeUnixNano: instant,
  endTimeUnixNano: instant,
  attributes: attributes(),
  events: z
    .array(event)
    .nullish()
    .transform((given) => given ?? []),
});

export const otlpResourceSpansSchema = z.looseObject({
  resource: z.looseObject({ attributes: attributes() }).nullish(),
  scopeSpans: z
    .array(
      z.looseObject({
        spans: z
          .array(otlpSpanSchema)
          .nullish()
          .transform((given) => given ?? []),
      }),
    )
    .nullish()
    .transform((given) => given ?? []),
});

export type OtlpResourceSpans = z.output<typeof otlpResourceSpansSchema>;
export type OtlpSpan = z.output<typeof otlpSpanSchema>;
export type OtlpAttribute = OtlpSpan["attributes"][number];
