import type { ProbeContext } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { isCredentialName } from "../../provenance/redaction/credential-names.ts";

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** What can be said of an endpoint before its variables are known. */
export function checkEndpoint(baseUrl: string): void {
  for (const [, name = ""] of baseUrl.matchAll(variable)) {
    if (isCredentialName(name))
      throw invalid(`names the credential ${name}, which must not be part of an address`);
  }
  if (baseUrl.search(variable) === -1) assertUrl(baseUrl);
}

/** The address with the host's variables in it. */
export function endpointOf(baseUrl: string, { process }: Pick<ProbeContext, "process">): string {
  const names = [...baseUrl.matchAll(variable)].map(([, name = ""]) => name);
  const values = process.baseEnv(names);
  const url = baseUrl.replace(variable, (_match, name: string) => {
    const value = values[name];
    if (value === undefined) throw invalid(`names the variable ${name}, which is not set`);
    return value;
  });
  assertUrl(url);
  return url;
}

function assertUrl(text: string): void {
  if (!URL.canParse(text)) throw invalid(`"${text}" is no address`);
  const { protocol, username, password } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:")
    throw invalid(`"${text}" is neither http nor https`);
  if (username !== "" || password !== "")
    throw invalid("holds a user or password: give the key by key_variable");
}

function invalid(problem: string): AssayError {
  return new AssayError("ASSAY_CONFIG_INVALID", `docker_sandbox: base_url ${problem}`);
}
