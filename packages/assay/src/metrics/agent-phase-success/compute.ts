import { getOwn, type JsonObject } from "../../support/json.ts";

/** Only a real `true` counts. */
export function isAgentOk(metadata: JsonObject): boolean {
  return getOwn(metadata, "agent_ok") === true;
}
