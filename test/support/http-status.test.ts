import { expect, it } from "vitest";

import { httpStatusOf } from "../../packages/assay/src/support/http-status.ts";

const error = (fields: object, message = "refused") => Object.assign(new Error(message), fields);
const circular = error({});
Object.assign(circular, { cause: circular });

it.each<[string, unknown, number | null]>([
  ["a field status, as openai and Anthropic throw it", error({ status: 401 }), 401],
  ["a field statusCode, as ai throws it", error({ statusCode: 403 }), 403],
  ["a code that is a number or its text", error({ code: "401" }), 401],
  ["the answer in it, as axios throws it", error({ code: "ERR", response: { status: 401 } }), 401],
  ["$metadata, as AWS throws it", error({ $metadata: { httpStatusCode: 403 } }), 403],
  ["what caused it", error({ cause: error({ cause: { status: 429 } }) }), 429],
  [
    "a getter of its class",
    new (class extends Error {
      get status() {
        return 500;
      }
    })(),
    500,
  ],
  ["an object that is no error", { status: 401 }, 401],
])("the HTTP status is read from %s", (_what, thrown, status) => {
  expect(httpStatusOf(thrown)).toBe(status);
});

it.each<[string, unknown]>([
  ["words about one", error({}, "401 Unauthorized")],
  ["an exit code, or a status of success", error({ code: 1, status: 200 })],
  ["a code of the system", error({ code: "ECONNREFUSED" })],
  ["a text of another kind", error({ status: "4xx", code: "4010" })],
  ["an error that caused itself", circular],
  ["a text", "401"],
  ["nothing", undefined],
  [
    "a getter that throws",
    Object.defineProperty({}, "status", {
      get() {
        throw new Error();
      },
    }),
  ],
  ["a proxy", new Proxy({}, { get: () => 401 })],
])("there is none in %s", (_what, thrown) => {
  expect(httpStatusOf(thrown)).toBeNull();
});
