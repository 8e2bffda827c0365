import type { z } from "zod";

import type { Redactor } from "../contracts/redactor.ts";
import { escapedText, formatRecord, type RowTexts } from "../schema/row-format.ts";
import { RecentTexts } from "../support/recent-texts.ts";
import { redactRecord } from "./redact-record.ts";

/** Writes the rows of records without secrets. */
export class RowWriter implements RowTexts {
  readonly #redactor: Redactor;
  /** Texts and data that were seen and hold no secret, as they stand in a row. */
  readonly #harmless = { texts: new RecentTexts(), data: new RecentTexts() };
  #maySecretStand = false;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** The row, without its newline. */
  row(schema: z.ZodType, record: unknown): string {
    return this.harmlessRow(schema, record) ?? formatRecord(schema, this.clean(schema, record));
  }

  /** The row of a record as it is; null where a secret may stand in it. */
  harmlessRow(schema: z.ZodType, record: unknown): string | null {
    this.#maySecretStand = false;
    const row = formatRecord(schema, record, this);
    return this.#maySecretStand ? null : row;
  }

  clean<T>(schema: z.ZodType, record: T): T {
    return redactRecord(schema, record, this.#redactor);
  }

  escaped(text: string): string {
    const known = this.#harmless.texts.get(text);
    if (known !== null) return known;
    const escaped = escapedText(text);
    if (this.#isHarmless(text)) this.#harmless.texts.set(text, escaped);
    return escaped;
  }

  data(json: string): string {
    if (this.#harmless.data.get(json) === null && this.#isHarmless(json))
      this.#harmless.data.set(json, json);
    return json;
  }

  #isHarmless(text: string): boolean {
    // Once a row has to be redacted nobody asks again.
    this.#maySecretStand ||= this.#redactor.mayContain(text);
    return !this.#maySecretStand;
  }
}
