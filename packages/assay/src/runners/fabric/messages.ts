import { z } from "zod";

import { AssayError } from "../../errors/assay-error.ts";
import { parseJson } from "../../support/json.ts";

/** The number of the driver's way of speaking. */
const protocol = 1;
/** No message is longer: results are files. */
export const maxMessageBytes = 256 * 1024;

const routeSchema = z.looseObject({
  kind: z.string(),
  target: z.string().catch("unknown"),
  reason: z.string().catch(""),
});

const planSchema = z.looseObject({
  adapter_id: z.string().nullable().catch(null),
  adapter_kind: z.string().nullable().catch(null),
  contract_version: z.string().nullable().catch(null),
  descriptor_sha256: z.string(),
  script_sha256: z.string().nullable().catch(null),
  routes: z.array(routeSchema).catch([]),
  failed_checks: z.array(z.string()).catch([]),
});

const messageSchema = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("facts"),
    python: z.string(),
    nemo_fabric: z.string().nullable(),
    packages: z.record(z.string(), z.string()),
    packages_sha256: z.string(),
    relay: z.looseObject({ command: z.boolean(), module: z.boolean() }),
    plan: planSchema.optional(),
  }),
  z.looseObject({ type: z.literal("started") }),
  z.looseObject({ type: z.literal("result"), sha256: z.string(), size_bytes: z.int() }),
  z.looseObject({
    type: z.literal("failed"),
    where: z.enum(["import", "config", "plan", "run", "result"]),
    message: z.string(),
    error_type: z.string().nullable().catch(null),
    stage: z.string().nullable().catch(null),
    code: z.string().nullable().catch(null),
    retryable: z.boolean().catch(false),
    python: z.string().nullable().catch(null),
  }),
]);

export type DriverMessage = z.output<typeof messageSchema>;
export type DriverFacts = Extract<DriverMessage, { type: "facts" }>;
export type DriverFailure = Extract<DriverMessage, { type: "failed" }>;
/** What a driver ends with. */
export type DriverAnswer = Exclude<DriverMessage, { type: "started" }>;

/**
 * Reads what the driver says. Whatever else is on the pipe, noise, torn lines, lines without the token, is counted and
 * not believed; after the first answer nothing is.
 */
export class DriverReader {
  readonly #token: string;
  #answer: DriverAnswer | null = null;
  #hasStarted = false;
  #strayLines = 0;

  constructor(token: string) {
    this.#token = token;
  }

  readLine(line: string): void {
    const message = this.#messageOf(line);
    if (message === null || this.#answer !== null) this.#strayLines += 1;
    else if (message.type === "started") this.#hasStarted = true;
    else this.#answer = message;
  }

  get answer(): DriverAnswer | null {
    return this.#answer;
  }

  /** The harness was about to be started. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  get strayLines(): number {
    return this.#strayLines;
  }

  #messageOf(line: string): DriverMessage | null {
    // A line that was cut is no JSON any more.
    if (!line.startsWith("{")) return null;
    let value: unknown;
    try {
      value = parseJson(line, "message of the driver");
    } catch (thrown) {
      if (AssayError.isInstance(thrown)) return null;
      throw thrown;
    }
    const { assay_fabric: version, token, ...rest } = value as Record<string, unknown>;
    if (version !== protocol || token !== this.#token) return null;
    const parsed = messageSchema.safeParse(rest);
    return parsed.success ? parsed.data : null;
  }
}
