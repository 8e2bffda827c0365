import type { Match } from "../search.ts";
import { isLogin } from "./user-info.ts";

/** A value in quotes, escaped or not, or in none. */
const value = String.raw`\\{0,8}["']?([^\s"'\\|;&]{4,256})`;
const flag = (spelling: string, given = value) =>
  new RegExp(String.raw`(?<=\s)${spelling}${given}`, "g");

/** Commands that are given a password by a flag whose name does not say so. */
const commands: readonly { readonly name: string; readonly flag: RegExp }[] = [
  { name: "sshpass", flag: flag("-p ?") },
  { name: "redis-cli", flag: flag("-a ") },
  { name: "mysql", flag: flag("-p") },
  { name: "mariadb", flag: flag("-p") },
  { name: "ldap", flag: flag("-w ") },
  { name: "mongo", flag: flag("-p ") },
  {
    name: "smbclient",
    flag: flag("-U ", String.raw`\\{0,8}["']?[^\s%"'\\]{1,64}%([^\s"'\\|;&]{4,256})`),
  },
  {
    name: "lftp",
    flag: flag("-u ", String.raw`\\{0,8}["']?[^\s,"'\\]{1,64},([^\s"'\\|;&]{4,256})`),
  },
  { name: " login ", flag: flag("(?:-p|--password) ") },
];
const someName = new RegExp(commands.map(({ name }) => name).join("|"));
/** So far behind its name a command goes on. */
const reach = 400;
const end = /(?<!\\)(?:\n|\\n)|&&|[|;](?=\s)/;

/** Passwords that commands are given by a short flag: `sshpass -p ...`, `mysql -p...`, `docker login -p ...`. */
export function commandPasswordsIn(text: string): readonly Match[] {
  return !someName.test(text) ? [] : commands.flatMap((command) => passwordsOf(command, text));
}

function passwordsOf({ name, flag: given }: (typeof commands)[number], text: string): Match[] {
  const found: Match[] = [];
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length)) {
    const from = at + name.length - 1;
    const [rest = ""] = text.slice(from, from + reach).split(end, 1);
    for (const { index, 0: whole, 1: password = "" } of rest.matchAll(given)) {
      const start = from + index + whole.length - password.length;
      if (isLogin(`:${password}`) && /\d|[^\w./-]|[a-z][A-Z]/.test(password))
        found.push({ start, end: start + password.length });
    }
  }
  return found;
}
