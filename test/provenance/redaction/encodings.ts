const json = (text: string): string => JSON.stringify(text).slice(1, -1);

const asciiJson = (text: string): string =>
  json(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

const htmlSafeJson = (text: string): string =>
  json(text).replace(
    /[<>&'=]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`,
  );

const slashJson = (text: string): string => json(text).replaceAll("/", "\\/");

const everythingEscaped = (text: string): string =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

const percent = (text: string, keep: RegExp): string =>
  [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return keep.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");

const lowerHexDigits = (text: string): string =>
  text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());

const strict = (text: string): string => percent(text, /[A-Za-z0-9_.~-]/);

/** Encoders as programs really have them, written independently of the code under test. */
export const encoders: Readonly<Record<string, (text: string) => string>> = {
  raw: (text) => text,
  "JSON once": json,
  "JSON once, ASCII only": asciiJson,
  "JSON once, safe in HTML": htmlSafeJson,
  "JSON once, slashes escaped": slashJson,
  "JSON once, every character by its code": everythingEscaped,
  "JSON twice": (text) => json(json(text)),
  "JSON twice, ASCII only": (text) => asciiJson(asciiJson(text)),
  "JSON twice, slashes escaped both times": (text) => slashJson(slashJson(text)),
  "JSON twice, every character by its code": (text) => json(everythingEscaped(text)),
  "percent, as encodeURIComponent does": encodeURIComponent,
  "percent, as encodeURI does": encodeURI,
  "percent, all but the unreserved": strict,
  "percent, slashes kept": (text) => percent(text, /[A-Za-z0-9_.~/-]/),
  "percent, lower case": (text) => lowerHexDigits(strict(text)),
  "percent, every byte": (text) => percent(text, /(?!)/),
  "percent, a form": (text) => new URLSearchParams({ x: text }).toString().slice(2),
  "percent, twice": (text) => encodeURIComponent(encodeURIComponent(text)),
  "hex, lower case": (text) => Buffer.from(text).toString("hex"),
  "hex, upper case": (text) => Buffer.from(text).toString("hex").toUpperCase(),
};

/** What encoding a text that holds the secret leaves of it, whatever stands around it. */
export function base64Cores(secret: string): string[] {
  const cores: string[] = [];
  const bytes = Buffer.from(secret);
  for (const before of [0, 1, 2]) {
    const whole = Buffer.concat([Buffer.alloc(before, "x"), bytes, Buffer.alloc(3, "y")]);
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + bytes.length) * 8) / 6);
    for (const encoding of ["base64", "base64url"] as const)
      cores.push(whole.toString(encoding).slice(from, to));
  }
  return cores;
}
