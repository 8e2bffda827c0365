import { rules as presetRules } from "@secretlint/secretlint-rule-preset-recommend";

import type { Match } from "../search.ts";

/** The part of secretlint's rule interface that is used; the package's own types need a package that it does not bring. */
interface LintRule {
  readonly meta: { readonly id: string };
  create(
    context: {
      createTranslator(): (messageId: string) => { readonly messageId: string };
      report(found: {
        readonly message: { readonly messageId: string };
        readonly range: readonly [number, number];
      }): void;
    },
    options: object,
  ): { file(source: { readonly content: string; readonly filePath: undefined }): unknown };
}

/** How the credentials of a rule begin and go on, so that the rule is asked only where one may stand. */
export const lintPrefixes: Readonly<
  Record<string, { readonly prefixes: readonly string[]; readonly tail: string }>
> = {
  aws: beginning("AKIA AGPA AIDA AROA AIPA ANPA ANVA ASIA A3T", "[A-Z0-9]{16}"),
  npm: beginning("npm_"),
  slack: beginning("xoxb- xoxp- xapp- xoxa- xoxo- xoxr- hooks.slack", "[A-Za-z0-9./-]{12}"),
  sendgrid: beginning("SG."),
  shopify: beginning("shppa_ shpca_ shpat_ shpss_"),
  github: beginning("ghp_ gho_ ghu_ ghs_ ghr_ github_pat_"),
  gitlab: beginning("glpat-"),
  grafana: beginning("glc_ glsa_", "[A-Za-z0-9+/]{24}"),
  openai: beginning("sk-"),
  anthropic: beginning("sk-ant-"),
  groq: beginning("gsk_"),
  huggingface: beginning("hf_"),
  linear: beginning("lin_api_"),
  notion: beginning("ntn_"),
  "1password": beginning("ops_ey", "[A-Za-z0-9+/=]{24}"),
  "hashicorp-vault": beginning("hvs. hvb. hvr."),
  vercel: beginning("vcp_ vci_ vca_ vcr_ vck_", "[A-Za-z0-9]{20}"),
  databricks: beginning("dapi", "[A-Fa-f0-9]{24}"),
  docker: beginning("dckr_pat_"),
  figma: beginning("figd_"),
};

/**
 * Not used: `filter-comments` lets a text switch the search off; `gcp` opens files; `basicauth` and
 * `database-connection-string` take the whole address where the user-info is enough; `privatekey` needs the end of a key,
 * which may be cut off. What `aws` knows by a name in the text is found by its name here.
 */
export const unusedLintRules = [
  "filter-comments",
  "gcp",
  "basicauth",
  "database-connection-string",
  "privatekey",
];

const byName = new Map(
  (presetRules as unknown as readonly LintRule[]).map((rule) => [
    rule.meta.id.replace("@secretlint/secretlint-rule-", ""),
    rule,
  ]),
);

/** Every rule of the package, by its short name. */
export const lintRuleNames: readonly string[] = [...byName.keys()];

/**
 * What one of secretlint's rules finds. Its rules want a boundary before a token, which an escape (`\n`, `%3D`, a colour
 * of a terminal) hides from them: the text is given as it is, and with escapes blanked.
 */
export function lintMatches(name: string, text: string): readonly Match[] {
  const blank = withoutEscapes(text);
  return blank === text
    ? matchesIn(name, text)
    : [...matchesIn(name, text), ...matchesIn(name, blank)];
}

function matchesIn(name: string, content: string): readonly Match[] {
  const found: Match[] = [];
  const context = {
    createTranslator: () => (messageId: string) => ({ messageId }),
    report: ({
      message,
      range: [start, end],
    }: {
      message: { messageId: string };
      range: readonly [number, number];
    }) => {
      if (!leftOut.has(message.messageId)) found.push({ start, end });
    },
  };
  byName
    .get(name)
    ?.create(context, { enableIDScanRule: true })
    .file({ content, filePath: undefined });
  return found;
}

/** The number of an account opens nothing; of a key that is named the rule takes the name and its quotes as well. */
const leftOut = new Set(["AWSAccountID", "AWSSecretAccessKey"]);

/** Of the same length, so that places stay what they are. */
function withoutEscapes(text: string): string {
  return text.replace(
    /(?:[^ -~]|\\+(?:u001b|x1b|033))\[[0-9;]*[A-Za-z]|\\+(?:u[0-9a-fA-F]{4}|[nrtbf])|%[0-9A-Fa-f]{2}|[^ -~\s]/g,
    (found) => " ".repeat(found.length),
  );
}

function beginning(prefixes: string, tail = "[A-Za-z0-9_.-]{20}") {
  return { prefixes: prefixes.split(" "), tail };
}
