import type { Match } from "../search.ts";
import { isLogin } from "./user-info.ts";

/** So far behind its name a command goes on. */
const commandLength = 600;
const flag = String.raw`(?<=[\s"'nt])(?:-u|-U|--user|--proxy-user)[\s=]?`;
/** `name:password` in double quotes, escaped or not, in single ones, or in none. */
const login = [
  String.raw`\\{0,8}"([^:"\\\n]{1,128}:[^"\\\n]{1,512})\\{0,8}"`,
  String.raw`'([^:'\\\n]{1,128}:[^'\\\n]{1,512})'`,
  String.raw`([^\s:"'\\]{1,128}:[^\s"'\\]{1,512})`,
].join("|");
/** What ends a command: a line that does not go on, escaped or not, and what joins two commands. */
const end = String.raw`(?<!\\)(?:\n|\\n)|&&|[|;](?=\s)`;
const parts = new RegExp(String.raw`(\bcurl(?=[\s\\.]))|${flag}(?:${login})|${end}`, "g");

/** Name and password that curl is given: `curl -u name:password`. */
export function loginsIn(text: string): readonly Match[] {
  if (!text.includes("curl")) return [];
  const found: Match[] = [];
  let command = Number.NEGATIVE_INFINITY;
  for (const { index, 0: whole, 1: name, 2: inDouble, 3: inSingle, 4: bare } of text.matchAll(
    parts,
  )) {
    const given = inDouble ?? inSingle ?? bare;
    if (name !== undefined) command = index;
    else if (given === undefined) command = Number.NEGATIVE_INFINITY;
    else if (index - command <= commandLength && isLogin(given)) {
      const start = index + whole.lastIndexOf(given);
      found.push({ start, end: start + given.length });
    }
  }
  return found;
}
