import { AssayError } from "../../errors/assay-error.ts";

/** Of one answer, and of one line of it: the client holds a line whole, and looks through it anew with each piece. */
const maxAnswerBytes = 256 * 1024 * 1024;
const maxLineBytes = 32 * 1024 * 1024;
const newline = 10;

/** `fetch` for the client of the endpoint: an answer without end would take all memory of this process. */
export async function boundedFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  const answer = await fetch(...request);
  if (answer.body === null) return answer;
  const { status, statusText, headers } = answer;
  return new Response(answer.body.pipeThrough(bound()), { status, statusText, headers });
}

function bound(): TransformStream<Uint8Array, Uint8Array> {
  let [answerBytes, lineBytes] = [0, 0];
  return new TransformStream({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(newline);
      answerBytes += chunk.length;
      lineBytes = end === -1 ? lineBytes + chunk.length : chunk.length - end - 1;
      if (lineBytes <= maxLineBytes && answerBytes <= maxAnswerBytes) controller.enqueue(chunk);
      else controller.error(tooLarge(lineBytes > maxLineBytes));
    },
  });
}

function tooLarge(isOfLine: boolean): AssayError {
  const [bytes, what] = isOfLine
    ? [maxLineBytes, "a line of an answer"]
    : [maxAnswerBytes, "an answer"];
  return new AssayError(
    "ASSAY_CONNECTION_FAILED",
    `the endpoint sent more than ${bytes / 1024 ** 2} MiB in ${what}`,
  );
}
