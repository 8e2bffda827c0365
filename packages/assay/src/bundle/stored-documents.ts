import { createHash, type Hash } from "node:crypto";
import path from "node:path";
import type { z } from "zod";

import type { FileStore } from "../contracts/files.ts";
import type { Redactor } from "../contracts/redactor.ts";
import { toWire } from "../schema/codec.ts";
import { type PlanRecord, planRecordSchema } from "../schema/plan.ts";
import { provenanceStatementSchema } from "../schema/provenance.ts";
import { aggregateSchema, type Summary } from "../schema/summary.ts";
import { summaryDocument } from "../statistics/summary-document.ts";
import { sha256Hex } from "../support/digest.ts";
import { documentWithList, formatDocument, type JsonObject } from "../support/json.ts";
import { type BundleFile, bundleFiles, envelopeFile } from "./layout.ts";
import { redactRecord } from "./redact-record.ts";
import type { RowWriter } from "./row-writer.ts";

/** Gives the signed envelope of the bytes of a statement. */
export type Sign = (statement: Uint8Array) => JsonObject;

interface StatementDigests {
  readonly provenanceSha256: string;
  readonly signatureSha256: string | null;
}

export interface DocumentTools {
  readonly files: FileStore;
  readonly redactor: Redactor;
  readonly rows: RowWriter;
}

/** The files of a bundle that are written whole, for the write door: redacted, then written in one step. */
export class StoredDocuments {
  readonly #dir: string;
  readonly #files: FileStore;
  readonly #redactor: Redactor;
  readonly #rows: RowWriter;

  constructor(dir: string, { files, redactor, rows }: DocumentTools) {
    this.#dir = dir;
    this.#files = files;
    this.#redactor = redactor;
    this.#rows = rows;
  }

  /** Gives the SHA-256 of what was written. */
  async write(role: BundleFile, schema: z.ZodType, value: unknown): Promise<string> {
    const clean = redactRecord(schema, value, this.#redactor, "settings");
    return await this.#writePieces(role, [formatDocument(toWire(schema, clean))]);
  }

  /** A plan may have very many tasks: they are made one at a time. */
  async writePlan({ tasks, ...plan }: PlanRecord): Promise<string> {
    const { element } = planRecordSchema.shape.tasks;
    const wireOf = (schema: z.ZodType, value: unknown) =>
      toWire(schema, redactRecord(schema, value, this.#redactor, "settings"));
    const document = wireOf(planRecordSchema, plan) as JsonObject;
    const items = mapped(tasks, (task) => wireOf(element, task));
    return await this.#writePieces("plan", documentWithList(document, "tasks", items));
  }

  /** The rows of a file that is not appended to, one at a time; gives the SHA-256 of all. */
  async writeRows(role: BundleFile, schema: z.ZodType, values: Iterable<unknown>): Promise<string> {
    return await this.#writePieces(role, this.#lines(schema, values));
  }

  async writeSummary(summary: Summary): Promise<void> {
    const scores = summary.scores.scores.map((aggregate) =>
      redactRecord(aggregateSchema, aggregate, this.#redactor),
    );
    // All else comes from rows that were redacted; values by task are made as they are written.
    const document = summaryDocument({ ...summary, scores: { scores } });
    await this.#files.writeAtomic(this.#path("summary"), document);
  }

  /** Gives the SHA-256 of the statement, and of its signed envelope where there is a signer. */
  async writeProvenance(statement: JsonObject, sign: Sign | null): Promise<StatementDigests> {
    const clean = redactRecord(provenanceStatementSchema, statement, this.#redactor, "settings");
    const text = formatDocument(clean);
    await this.#files.writeAtomic(this.#path("provenance"), text);
    const signatureSha256 = sign === null ? null : await this.#writeEnvelope(sign, text);
    return { provenanceSha256: sha256Hex(text), signatureSha256 };
  }

  /** Signs the statement as it is there, and gives the SHA-256 of the envelope. */
  async signAgain(sign: Sign): Promise<string> {
    return await this.#writeEnvelope(sign, await this.#files.readText(this.#path("provenance")));
  }

  /** What is signed has passed the redactor already. */
  async #writeEnvelope(sign: Sign, statement: string): Promise<string> {
    const text = formatDocument(sign(Buffer.from(statement)));
    await this.#files.writeAtomic(path.join(this.#dir, envelopeFile), text);
    return sha256Hex(text);
  }

  *#lines(schema: z.ZodType, values: Iterable<unknown>): Generator<string> {
    for (const value of values) yield `${this.#rows.row(schema, value)}\n`;
  }

  async #writePieces(role: BundleFile, pieces: Iterable<string>): Promise<string> {
    const hash = createHash("sha256");
    await this.#files.writeAtomic(this.#path(role), eachInto(hash, pieces));
    return hash.digest("hex");
  }

  #path(role: BundleFile): string {
    return path.join(this.#dir, bundleFiles[role]);
  }
}

function* mapped<T>(items: Iterable<T>, use: (item: T) => unknown): Generator<unknown> {
  for (const item of items) yield use(item);
}

function* eachInto(hash: Hash, pieces: Iterable<string>): Generator<string> {
  for (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}
