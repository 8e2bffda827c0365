import type { JsonObject, JsonValue } from "../support/json.ts";

/**
 * Removes what must not be stored: known secrets in every form, and what looks like a credential. The same input always gives
 * the same output.
 */
export interface Redactor {
  /** Text without secrets. */
  text(value: string): string;
  /** JSON data without secrets: in strings, in keys, in numbers that spell one. Returns the same object when nothing was found. */
  json<T extends JsonValue>(value: T): T;
  /** Settings: what `json` does, and all values under keys whose name says credential become `<redacted>`. */
  settings(value: JsonObject): JsonObject;
  /**
   * The text of a document that holds settings without the values whose names say credential; known secrets and what looks
   * like a credential are left to the other ways.
   */
  document(text: string, form: SettingsForm): Promise<CleanDocument>;
  /** A redactor for one stream of bytes; matches across chunk borders are found. */
  stream(): RedactionStream;
  /** True when a text, or what was serialised as it, may hold a secret: a cheap check before the walk. */
  mayContain(serialized: string): boolean;
  /** Counts a file that is withheld because it held a secret, or nobody can say that it does not. */
  countWithheld(): void;
  /** Removals by rule so far, this redactor only. */
  counts(): Readonly<Record<string, number>>;
}

/** How a document is written, and whether all of it is settings or only what its members of such names hold. */
export interface SettingsForm {
  /** `assignments`: lines of `name = value`, as in TOML, INI and `.env`. */
  readonly format: "json" | "yaml" | "assignments";
  readonly isWhole: boolean;
}

export interface CleanDocument {
  readonly text: string;
  readonly removed: number;
}

export interface RedactionStream {
  /** Bytes that are seen behind a place before it is decided: after n bytes, what comes of the first n - lookahead is out. */
  readonly lookahead: number;
  /** The bytes that are safe to store so far. */
  push(chunk: Uint8Array): Uint8Array;
  /** The rest, after the last chunk. */
  end(): Uint8Array;
  /** Secrets removed from this stream. */
  readonly count: number;
}
