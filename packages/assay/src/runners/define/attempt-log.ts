import type { Clock, Logger } from "../../contracts/clock.ts";
import { messageOf } from "../../errors/assay-error.ts";
import { formatRow } from "../../support/json.ts";
import { formatInstant } from "../../support/timestamps.ts";

/** Lines beyond this many are counted, not kept. */
const maxLines = 100_000;

type Data = Readonly<Record<string, unknown>>;

/** What an agent logs, as lines of JSON. */
export class AttemptLog {
  readonly #clock: Clock;
  readonly #lines: string[] = [];
  #dropped = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get lineCount(): number {
    return this.#lines.length;
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
    if (this.#lines.length >= maxLines) {
      this.#dropped += 1;
      return;
    }
    try {
      this.#lines.push(this.#row(level, message, data));
    } catch (problem) {
      // A log line must not be what an agent fails by.
      this.#lines.push(this.#row(level, message, { unwritable: messageOf(problem) }));
    }
  }

  #row(level: string, message: string, data?: Data): string {
    return formatRow({
      at: formatInstant(this.#clock.now()),
      level,
      message: String(message),
      data,
    });
  }
}
