import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>> | string;
}

/** What the model of a script does next. Faults are played `times` times, for ever when that is absent. */
export type Step =
  | { readonly calls: readonly Call[] }
  | { readonly say: string }
  | { readonly refuse: string }
  | { readonly silence: true }
  | { readonly cut: true; readonly times?: number }
  | { readonly garbage: true }
  /** A line without end. */
  | { readonly endless: true }
  | { readonly status: number; readonly message: string; readonly times?: number };

/** Answers conversations whose instruction has the line `# <title>`. */
export type Scripts = Readonly<Record<string, readonly Step[]>>;

export interface ModelServer {
  readonly url: string;
  /** Bodies and authorisations of the requests so far. */
  readonly requests: readonly { readonly body: string; readonly authorization: string }[];
  /** Resolves when so many have come. */
  reached(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Of every answer that comes whole. */
export const answerUsage = { input: 100, cached: 64, output: 7 };

/** A server that plays scripts, in the words of the Responses and of the Chat Completions API. */
export async function startModelServer(scripts: Scripts): Promise<ModelServer> {
  const requests: { body: string; authorization: string }[] = [];
  const played = new Map<Step, number>();
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    response.on("error", () => {});
    void answer(request, response);
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString("utf8");
    const { authorization = "" } = request.headers;
    requests.push({ body, authorization });
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
    const step = nextStep(body);
    const isChat = request.url === "/v1/chat/completions";
    if (!isChat && request.url !== "/v1/responses") fail(response, 404, "there is nothing here");
    else if (step === undefined) fail(response, 400, "no script answers this");
    else if ("status" in step) fail(response, step.status, step.message);
    else if ("silence" in step) return;
    else {
      response.writeHead(200, { "content-type": "text/event-stream" });
      if ("garbage" in step) response.end("data: {oops\n\n");
      else if ("endless" in step) pump(response);
      else if (isChat) playChat(response, step, requests.length);
      else playResponse(response, step, requests.length);
    }
  }

  /** The step after those whose calls have their results; a step counts as one result for each call. */
  function nextStep(body: string): Step | undefined {
    const title = Object.keys(scripts).find((name) => body.includes(`# ${name}\\n`));
    let results = body.match(/"type":"function_call_output"|"role":"tool"/g)?.length ?? 0;
    const step = (scripts[title ?? ""] ?? []).find((candidate) => {
      if ("calls" in candidate && results > 0) {
        results -= candidate.calls.length;
        return false;
      }
      const limit = "times" in candidate ? (candidate.times ?? Infinity) : Infinity;
      return results <= 0 && (played.get(candidate) ?? 0) < limit;
    });
    if (step !== undefined) played.set(step, (played.get(step) ?? 0) + 1);
    return step;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    reached: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Answer = Exclude<
  Step,
  { status: number } | { silence: true } | { garbage: true } | { endless: true }
>;

function pump(response: ServerResponse): void {
  const piece = Buffer.alloc(1024 * 1024, "x");
  const write = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on("drain", write);
  write();
}

function playResponse(response: ServerResponse, step: Answer, serial: number): void {
  const event = (content: { readonly type: string; readonly response: object }) =>
    response.write(`event: ${content.type}\ndata: ${JSON.stringify(content)}\n\n`);
  const id = `resp_${serial}`;
  event({ type: "response.created", response: { id } });
  if ("cut" in step) {
    cutOff(response);
    return;
  }
  const output =
    "calls" in step
      ? step.calls.map((call, index) => ({
          type: "function_call",
          id: `fc_${serial}_${index}`,
          call_id: `call_${serial}_${index}`,
          name: call.name,
          arguments: argumentsOf(call),
          status: "completed",
        }))
      : [messageOf(step, serial)];
  const { input, cached, output: outputTokens } = answerUsage;
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + outputTokens,
  };
  const done = { id, model: "served-model-1", status: "completed", output, usage };
  event({ type: "response.completed", response: done });
  response.end();
}

function messageOf(step: { say: string } | { refuse: string }, serial: number) {
  const content =
    "say" in step
      ? { type: "output_text", text: step.say, annotations: [] }
      : { type: "refusal", refusal: step.refuse };
  const head = { type: "message", id: `msg_${serial}`, role: "assistant", status: "completed" };
  return { ...head, content: [content] };
}

function playChat(response: ServerResponse, step: Answer, serial: number): void {
  const chunk = (content: object) =>
    response.write(
      `data: ${JSON.stringify({ id: `chat_${serial}`, object: "chat.completion.chunk", created: 0, model: "served-model-1", ...content })}\n\n`,
    );
  const choice = (delta: object, reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta, finish_reason: reason }] });
  choice({ role: "assistant" });
  if ("cut" in step) {
    cutOff(response);
    return;
  }
  if ("calls" in step) {
    const calls = step.calls.map((call, index) => ({
      index,
      id: `call_${serial}_${index}`,
      type: "function",
      function: { name: call.name, arguments: argumentsOf(call) },
    }));
    choice({ tool_calls: calls });
    choice({}, "tool_calls");
  } else {
    choice("say" in step ? { content: step.say } : { refusal: step.refuse });
    choice({}, "stop");
  }
  const { input, cached, output } = answerUsage;
  chunk({
    choices: [],
    usage: {
      prompt_tokens: input,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens: output,
      total_tokens: input + output,
    },
  });
  response.end("data: [DONE]\n\n");
}

function argumentsOf({ arguments: given }: Call): string {
  return typeof given === "string" ? given : JSON.stringify(given);
}

/** In the middle of an event, once its beginning has left this process. */
function cutOff(response: ServerResponse): void {
  response.write('data: {"type":"response.outp', () => response.destroy());
}

function fail(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { type: "error", message } }));
}
