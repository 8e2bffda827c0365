import type { Readable } from "node:stream";

import type { OutputFacts, OutputSink, ProcessRequest } from "../../contracts/process.ts";
import { OutputCollector } from "./output-collector.ts";
import type { StartedProcess } from "./spawn.ts";

export interface OpenOutputs {
  readonly stdout: OutputCollector;
  readonly stderr: OutputCollector;
  readonly messages: OutputCollector | null;
}

export async function openOutputs(request: ProcessRequest): Promise<OpenOutputs> {
  const opened: OutputCollector[] = [];
  const open = async (sink: OutputSink | undefined) => {
    const collector = await OutputCollector.open(sink);
    opened.push(collector);
    return collector;
  };
  try {
    const [stdout, stderr] = [await open(request.stdout), await open(request.stderr)];
    const messages = request.messages === undefined ? null : await open(request.messages);
    return { stdout, stderr, messages };
  } catch (thrown) {
    await Promise.allSettled(opened.map((collector) => collector.close()));
    throw thrown;
  }
}

export async function closeOutputs({
  stdout,
  stderr,
  messages,
}: OpenOutputs): Promise<{ readonly stdout: OutputFacts; readonly stderr: OutputFacts }> {
  const facts = { stdout: await stdout.close(), stderr: await stderr.close() };
  await messages?.close();
  return facts;
}

/** After a failure: what else goes wrong matters no more. */
export async function discardOutputs(outputs: OpenOutputs): Promise<void> {
  await Promise.allSettled(collectors(outputs).map((collector) => collector.close()));
}

interface Channel {
  readonly collector: OutputCollector;
  readonly stream: Readable;
}

/** Each collector with the stream that it reads. */
export function channelsOf(outputs: OpenOutputs, started: StartedProcess): readonly Channel[] {
  const channels: Channel[] = [
    { collector: outputs.stdout, stream: started.stdout },
    { collector: outputs.stderr, stream: started.stderr },
  ];
  if (outputs.messages !== null && started.messages !== null)
    channels.push({ collector: outputs.messages, stream: started.messages });
  return channels;
}

function collectors({ stdout, stderr, messages }: OpenOutputs): readonly OutputCollector[] {
  return messages === null ? [stdout, stderr] : [stdout, stderr, messages];
}
