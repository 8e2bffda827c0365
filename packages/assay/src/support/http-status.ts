import { types } from "node:util";

const maxCauses = 5;

/**
 * The HTTP status that an error of a client library carries: in its own fields, in those of the answer that it holds, or
 * in what caused it. Null where there is none; never read out of a text.
 */
export function httpStatusOf(thrown: unknown): number | null {
  let error: unknown = thrown;
  for (let depth = 0; depth <= maxCauses; depth += 1) {
    const status = statusIn(error);
    if (status !== null) return status;
    error = fieldOf(error, "cause");
  }
  return null;
}

function statusIn(error: unknown): number | null {
  const said = [
    fieldOf(error, "status"),
    fieldOf(error, "statusCode"),
    fieldOf(error, "code"),
    fieldOf(fieldOf(error, "response"), "status"),
    fieldOf(fieldOf(error, "$metadata"), "httpStatusCode"),
  ];
  return said.map(asStatus).find((status) => status !== null) ?? null;
}

/** Some libraries give it as text. */
function asStatus(value: unknown): number | null {
  const isStatus =
    (typeof value === "number" && Number.isInteger(value)) ||
    (typeof value === "string" && /^\d{3}$/.test(value));
  const status = isStatus ? Number(value) : 0;
  return status >= 400 && status < 600 ? status : null;
}

/** Null for what is no object, or refuses to be looked at. */
function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || types.isProxy(value)) return null;
  try {
    return (value as Readonly<Record<string, unknown>>)[key];
  } catch {
    return null;
  }
}
