import type { Clock, Logger } from "../../contracts/clock.ts";
import { messageOf } from "../../errors/assay-error.ts";
import { cutText } from "../../support/cut-text.ts";
import { formatRow } from "../../support/json.ts";
import { formatInstant } from "../../support/timestamps.ts";

/** Lines beyond these are counted, not kept. */
const maxLines = 100_000;
const maxBytes = 32 * 1024 * 1024;

const maxMessageCharacters = 1024 * 1024;

/** What of a message is kept. */
export function logMessageOf(message: unknown): string {
  return cutText(String(message), maxMessageCharacters);
}

type Data = Readonly<Record<string, unknown>>;

/** What an agent logs, as lines of JSON. */
export class AttemptLog {
  readonly #clock: Clock;
  readonly #lines: string[] = [];
  #bytes = 0;
  #dropped = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#lines.length + this.#dropped === 0;
  }

  logger(): Logger {
    const line = (level: string) => (message: string, data?: Data) =>
      this.#add(level, message, data);
    return { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
  }

  format(): string {
    const dropped = this.#dropped > 0 ? [this.#row("warn", `${this.#dropped} more lines`)] : [];
    return `${[...this.#lines, ...dropped].join("\n")}\n`;
  }

  #add(level: string, message: string, data: Data | undefined): void {
    if (this.#lines.length >= maxLines || this.#bytes >= maxBytes) {
      this.#dropped += 1;
      return;
    }
    const text = logMessageOf(message);
    const line = this.#lineOf(level, text, data);
    const bytes = Buffer.byteLength(line);
    if (this.#bytes + bytes > maxBytes) {
      this.#dropped += 1;
      return;
    }
    this.#lines.push(line);
    this.#bytes += bytes;
  }

  #lineOf(level: string, message: string, data: Data | undefined): string {
    try {
      return this.#row(level, message, data);
    } catch (problem) {
      // A log line must not be what an agent fails by.
      return this.#row(level, message, { unwritable: messageOf(problem) });
    }
  }

  #row(level: string, message: string, data?: Data): string {
    return formatRow({
      at: formatInstant(this.#clock.now()),
      level,
      message,
      data,
    });
  }
}
