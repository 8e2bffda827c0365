import { z } from "zod";

import { isPlainObject } from "../support/json.ts";
import { dataMap, jsonObject, jsonValue } from "./free-form.ts";

export const evidenceDescriptorSchema = z
  .strictObject({
    kind: z.string().describe("What it is: filesystem, trace, logs, error, ..."),
    ref: z
      .string()
      .nullable()
      .default(null)
      .describe("Where it lies: a path relative to the bundle, or a URI."),
    format: z
      .string()
      .nullable()
      .default(null)
      .describe("How it is written: atif, json, otlp, text, dir, ..."),
    data: jsonValue()
      .nullable()
      .default(null)
      .describe("The evidence itself, when it is small enough to be inline."),
    description: z.string().nullable().default(null).describe("For people."),
    metadata: jsonObject().default({}).describe("Facts of the producer about it."),
  })
  .refine((descriptor) => descriptor.ref !== null || descriptor.data !== null, {
    message: "an evidence descriptor needs `ref` or `data`",
  })
  .meta({
    anyOf: [
      { required: ["ref"], properties: { ref: { type: "string" } } },
      { required: ["data"], properties: { data: { not: { type: "null" } } } },
    ],
  });

export const evidenceSetSchema = z.strictObject({
  descriptors: dataMap(evidenceDescriptorSchema)
    .default({})
    .describe("Each piece of evidence by its name."),
  metadata: jsonObject().default({}).describe("Facts about the whole set."),
});

export type EvidenceDescriptor = Readonly<z.output<typeof evidenceDescriptorSchema>>;
export type EvidenceDescriptorInput = z.input<typeof evidenceDescriptorSchema>;
export type EvidenceSet = Readonly<z.output<typeof evidenceSetSchema>>;

/** A plain object with neither `descriptors` nor `metadata` is the map of descriptors itself. */
export function normalizeEvidenceSet(value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  return Object.hasOwn(value, "descriptors") || Object.hasOwn(value, "metadata")
    ? value
    : { descriptors: value, metadata: {} };
}
