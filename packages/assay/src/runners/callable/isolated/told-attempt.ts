import type { SuiteProcess } from "../../../contracts/runner.ts";
import { parseValue } from "../../../schema/codec.ts";
import type { AttemptContext } from "../../define/attempt-context.ts";
import { type AgentEnd, type AgentMessage, messageSchema } from "./messages.ts";

type Receiver = Pick<AttemptContext<unknown>, "step" | "usage" | "evidence" | "log">;

/** What an agent's process tells of its attempt, handed on as it comes. */
export class ToldAttempt {
  readonly #receiver: Receiver;
  readonly #read: SuiteProcess["read"];
  #end: AgentEnd | null = null;
  #unreadable = 0;

  constructor(receiver: Receiver, { read }: Pick<SuiteProcess, "read">) {
    this.#receiver = receiver;
    this.#read = read;
  }

  /** How the agent said that it ended; the first word counts. */
  get end(): AgentEnd | null {
    return this.#end;
  }

  /** Lines that Assay's side of that process cannot have written: the agent wrote to its descriptor. */
  get unreadable(): number {
    return this.#unreadable;
  }

  take(line: string): void {
    try {
      const told = this.#read(line);
      if (told?.kind === "refused")
        this.#end ??= { type: "failed", errorType: "RunnerError", message: told.reason };
      if (told?.kind !== "told") return;
      const source = { source: "message of the agent's process" };
      this.#hand(parseValue(messageSchema, told.message, source) as AgentMessage);
    } catch {
      this.#unreadable += 1;
    }
  }

  #hand(message: AgentMessage): void {
    const { step, usage, evidence, log } = this.#receiver;
    switch (message.type) {
      case "step":
        step(message.step as never);
        break;
      case "usage":
        usage.add(message.usage as never);
        break;
      case "evidence":
        evidence.add(message.name, message.descriptor as never);
        break;
      case "log":
        log[message.level](message.message, message.data);
        break;
      default:
        this.#end ??= message;
    }
  }
}
