import type { Logger } from "../../../contracts/clock.ts";
import type { AttemptChannel } from "../../../contracts/runner.ts";
import { isThrown, messageOf } from "../../../errors/assay-error.ts";
import { parseValue } from "../../../schema/codec.ts";
import { evidenceDescriptorSchema } from "../../../schema/evidence.ts";
import { logMessageOf } from "../../define/attempt-log.ts";
import { checkDraft, TrialFailure } from "../../define/draft.ts";
import { TrajectoryRecorder } from "../../define/trajectory.ts";
import { UsageMeter } from "../../define/usage.ts";
import type { CallableAgent, CallableContext } from "../agent.ts";
import { draftOfReply, errorOfThrow, faultOfThrow } from "../outcome.ts";
import { type AgentEnd, type AttemptOrder, orderSchema } from "./messages.ts";

/** Calls the agent with a context that hands over all it is given, and tells how it ended: by itself or not. */
export async function serveAttempt(
  agent: CallableAgent<never>,
  given: unknown,
  channel: AttemptChannel,
): Promise<void> {
  const order = parseValue(orderSchema, given, { source: "order of the attempt" });
  await new Promise<void>((resolve) => {
    const end = (told: AgentEnd): void => {
      channel.send(told);
      resolve();
    };
    channel.onStrayError((thrown) => end(strayEnd(thrown)));
    channel.onIdle(() => end({ type: "stalled" }));
    void callAgent(agent, order, channel).then((reply) => {
      if (reply.type !== "reply") return end(reply);
      try {
        end(reply);
      } catch {
        end({ type: "too_large" });
      }
    });
  });
}

async function callAgent(
  agent: CallableAgent<never>,
  order: AttemptOrder,
  channel: AttemptChannel,
): Promise<AgentEnd> {
  let reply: unknown;
  try {
    reply = await agent(order.task as never, contextOf(order, channel));
  } catch (thrown) {
    return endOfThrow(thrown);
  }
  try {
    return { type: "reply", draft: { ...checkDraft(draftOfReply(reply)) } as never };
  } catch (thrown) {
    const type = isThrown(thrown, TrialFailure) ? thrown.type : "InvalidReturn";
    return { type: "failed", errorType: type, message: messageOf(thrown) };
  }
}

function endOfThrow(thrown: unknown): AgentEnd {
  const fault = faultOfThrow(thrown);
  if (fault !== null) return { type: "fault", code: fault.code, message: fault.message };
  const { message, traceback = null } = errorOfThrow(thrown);
  return { type: "threw", message, traceback };
}

function strayEnd(thrown: unknown): AgentEnd {
  const { message, traceback = null } = errorOfThrow(thrown);
  return { type: "threw", message: `an error that no code awaits: ${message}`, traceback };
}

/** What is wrong with a value is thrown where the agent gave it, as in the process of the evaluator. */
function contextOf(order: AttemptOrder, { send, onStop }: AttemptChannel): CallableContext {
  const stop = new AbortController();
  onStop(() => stop.abort(new DOMException("The attempt was told to end.", "AbortError")));
  const { workspace, trialIndex, attemptIndex, secrets } = order;
  return {
    workspace,
    trialIndex,
    attemptIndex,
    secrets,
    signal: stop.signal,
    log: loggerOf(send),
    evidence: {
      add: (name, given) => {
        const source = `evidence "${name}"`;
        const descriptor = parseValue(evidenceDescriptorSchema, given, { source });
        send({ type: "evidence", name, descriptor });
      },
    },
    usage: {
      add: (usage) => {
        new UsageMeter().add(usage);
        send({ type: "usage", usage });
      },
    },
    step: (step) => {
      new TrajectoryRecorder().add(step, "");
      send({ type: "step", step });
    },
  };
}

function loggerOf(send: AttemptChannel["send"]): Logger {
  const line =
    (level: keyof Logger) =>
    (text: string, data?: Readonly<Record<string, unknown>>): void => {
      const message = logMessageOf(text);
      try {
        send({ type: "log", level, message, data });
      } catch (problem) {
        // A log line must not be what an agent fails by.
        send({ type: "log", level, message, data: { unwritable: messageOf(problem) } });
      }
    };
  return { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
}
