import type { Alphabet } from "./character-runs.ts";

/**
 * Credentials that tell what they are by how they begin, and that secretlint's rules do not know: rule, beginnings, and
 * what follows. Each was looked up in what its issuer documents or hands out.
 */
export interface PrefixRule {
  readonly rule: string;
  readonly prefixes: readonly string[];
  readonly tail: Tail;
}

export type Tail =
  | {
      /** At least so many characters of an alphabet come behind the prefix; 8 where a text was cut behind them. */
      readonly least: number;
      readonly of: Alphabet;
      /** Where the beginning is an ordinary word as well, what follows must look like chance. */
      readonly isRandom?: boolean;
    }
  /** Source of a regular expression for what comes behind the prefix. */
  | { readonly pattern: string; readonly isRandom?: boolean };

const rule = (name: string, prefixes: string, tail: Tail): PrefixRule => ({
  rule: name,
  prefixes: prefixes.split(" "),
  tail,
});

const tokens = (name: string, prefixes: string, least = 20, of: Alphabet = "token"): PrefixRule =>
  rule(name, prefixes, { least, of });

export const prefixRules: readonly PrefixRule[] = [
  tokens("nvidia", "nvapi-"),
  tokens("huggingface", "hf_ api_org_", 30, "word"),
  rule("api-key", "sk-", { least: 20, of: "token", isRandom: true }),
  tokens("google", "AIza", 35),
  tokens("google", "ya29. GOCSPX-", 20, "dotted"),
  tokens("stripe", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", 20, "base64"),
  tokens("slack", "xoxb- xoxp- xoxa- xoxo- xoxr- xoxs- xoxc- xoxd- xoxe- xoxe. xapp-", 20, "slack"),
  tokens("gitlab", "glptt- gldt- glrt- glft- glsoat- glcbt- glimt- glagent- gloas-"),
  tokens("github", "ghs_ github_pat_", 40, "dotted"),
  tokens("pypi", "pypi-", 50),
  tokens("digitalocean", "dop_v1_ doo_v1_ dor_v1_", 40, "hex"),
  tokens("model-provider", "r8_ xai- pplx- tgp_v1_ fw_ csk-", 24),
  tokens("tool-provider", "lsv2_pt_ lsv2_sk_ pcsk_ tvly- e2b_ PMAK- nfp_ napi_ sbp_ lin_oauth_"),
  tokens("mail-provider", "xkeysib- xsmtpsib- SG.", 40, "dotted"),
  tokens("monitoring", "sntrys_ sntryu_ NRAK- NRII- PHRO-", 24, "anyBase64"),
  tokens("package-registry", "rubygems_ CLOJARS_ oy2", 40),
  tokens("atlassian", "ATATT3 ATCTT3 ATBB", 24, "padded"),
  tokens(
    "infrastructure",
    "pul- pscale_tkn_ pscale_pw_ pscale_oauth_ HRKU- dp.pt. dp.st. hvs. hvb. hvr.",
    32,
  ),
  tokens("payments", "sq0atp- sq0csp- FLWSECK- shippo_live_ duffel_live_"),
  tokens("content", "CFPAT- tfp_ rdme_", 40, "dotted"),
  rule("cloud-key-id", "LTAI AKID", {
    pattern: "[A-Za-z0-9]{16,48}(?![A-Za-z0-9])",
    isRandom: true,
  }),
  tokens("age", "AGE-SECRET-KEY-1", 50, "capital"),
  rule("mailgun", "key-", { pattern: "[0-9a-f]{32}(?![A-Za-z0-9])" }),
  rule("airtable", "pat", { pattern: "[A-Za-z0-9]{14}\\.[0-9a-f]{64}" }),
  rule("mapbox", "sk.eyJ", { pattern: "[\\w-]{16,512}\\.[\\w-]{16,256}" }),
  rule("api-key", "openai-insecure-api-key.", { least: 20, of: "token", isRandom: true }),
  tokens(
    "infrastructure",
    "tskey-auth- tskey-api- tskey-client- fm1r_ fm1a_ fm2_ fo1_",
    24,
    "anyBase64",
  ),
  rule("infrastructure", "dp.ct. dp.st. dp.sa. dp.scim. dp.audit.", {
    pattern: "(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}(?![A-Za-z0-9])",
  }),
  tokens("infrastructure", "atlasv1.", 40, "dotted"),
  tokens("infrastructure", "sb_secret_", 20, "word"),
  rule("google", "1//0", { pattern: "[\\w-]{40,200}(?![\\w-])", isRandom: true }),
  rule("slack", "slack.com/workflows/ slack.com/triggers/", {
    pattern: "[A-Z0-9]{8,14}(?:/[A-Za-z0-9]{8,64}){2,3}",
  }),
  rule("teams", "IncomingWebhook/", { pattern: "[0-9a-f]{32}(?![0-9a-f])[\\w/-]{0,160}" }),
  rule("minisign", "RWRTY0Iy RWQAAEIy", { pattern: "[A-Za-z0-9+/]{130,}={0,2}", isRandom: true }),
  rule("zapier", "hooks/catch/", { pattern: "\\d{4,12}/[A-Za-z0-9]{6,32}(?![A-Za-z0-9])" }),
  rule("asana", "0/1 1/1 2/1", {
    pattern: "\\d{12,17}(?:/\\d{13,18})?:[0-9a-f]{32}(?![A-Za-z0-9])",
  }),
  rule("discord", "api/webhooks/", { pattern: "\\d{15,22}/[\\w-]{40,128}" }),
  rule("twilio", [..."0123456789abcdef"].map((digit) => `SK${digit}`).join(" "), {
    pattern: "[0-9a-f]{31}(?![A-Za-z0-9])",
    isRandom: true,
  }),
];

/** Beginnings that no word ends in: a token is known by them even when letters stand right before it. */
export const gluedPrefixes: readonly string[] =
  `ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glsoat- npm_ nvapi- hf_ gsk_ sk-proj- sk-ant- sk-or-v1-
  sk-svcacct- sk-admin- sk_live_ sk_test_ rk_live_ whsec_ xoxb- xoxp- xoxa- xoxr- xoxe. xapp- xai- pplx- tgp_v1_ csk- lsv2_pt_
  lsv2_sk_ pcsk_ tvly- PMAK- lin_api_ ntn_ dckr_pat_ figd_ glsa_ glc_ hvs. dop_v1_ rubygems_ pypi- shpat_ shpss_ ya29. GOCSPX-
  sntrys_ NRAK- xkeysib- dp.pt. sq0atp- AKIA ASIA AIza eyJ`.split(/\s+/);
