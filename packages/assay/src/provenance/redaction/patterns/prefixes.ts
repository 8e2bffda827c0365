/**
 * Credentials that tell what they are by how they begin, and that secretlint's rules do not know: rule, beginnings, and
 * what follows. Each was looked up in what its issuer documents or hands out.
 */
export interface PrefixRule {
  readonly rule: string;
  readonly prefixes: readonly string[];
  /** Source of a regular expression for what comes behind the prefix. */
  readonly tail: string;
  /** Where the beginning is an ordinary word as well, what follows must look like chance. */
  readonly isRandom?: boolean;
}

const word = "[A-Za-z0-9]";
const token = "[A-Za-z0-9_-]";
const dotted = "[A-Za-z0-9_.~-]";
const hex = "[0-9a-f]";

/** The engine's regular expressions keep a stack: what goes on behind so many characters is taken without them. */
export const most = 256;

/** At least so many; fewer where a text was cut behind them. */
function atLeast(count: number, characters = token): string {
  return `(?:${characters}{${count},${most}}|${characters}{8,${most}}(?=\u2026|\u00e2\u0080\u00a6))`;
}

const of = (rule: string, prefixes: string, tail = atLeast(20)): PrefixRule => ({
  rule,
  prefixes: prefixes.split(" "),
  tail,
});

export const prefixRules: readonly PrefixRule[] = [
  of("nvidia", "nvapi-"),
  of("huggingface", "hf_ api_org_", atLeast(30, word)),
  { ...of("api-key", "sk-", atLeast(32)), isRandom: true },
  of("google", "AIza", atLeast(35)),
  of("google", "ya29. GOCSPX-", atLeast(20, dotted)),
  of("stripe", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", atLeast(20, "[A-Za-z0-9+/=]")),
  of(
    "slack",
    "xoxb- xoxp- xoxa- xoxo- xoxr- xoxs- xoxc- xoxd- xoxe- xoxe. xapp-",
    atLeast(20, "[A-Za-z0-9.%_-]"),
  ),
  of("gitlab", "glptt- gldt- glrt- glft- glsoat- glcbt- glimt- glagent- gloas-"),
  of("github", "ghs_ github_pat_", atLeast(40, dotted)),
  of("pypi", "pypi-", atLeast(50)),
  of("digitalocean", "dop_v1_ doo_v1_ dor_v1_", atLeast(40, hex)),
  of("model-provider", "r8_ xai- pplx- tgp_v1_ fw_ csk-", atLeast(24)),
  of("tool-provider", "lsv2_pt_ lsv2_sk_ pcsk_ tvly- e2b_ PMAK- nfp_ napi_ sbp_ lin_oauth_"),
  of("mail-provider", "xkeysib- xsmtpsib- SG.", atLeast(40, dotted)),
  of("monitoring", "sntrys_ sntryu_ NRAK- NRII- PHRO-", atLeast(24, "[A-Za-z0-9+/=_-]")),
  of("package-registry", "rubygems_ CLOJARS_ oy2", atLeast(40)),
  of("atlassian", "ATATT3 ATCTT3 ATBB", atLeast(24, "[A-Za-z0-9_=-]")),
  of(
    "infrastructure",
    "pul- pscale_tkn_ pscale_pw_ pscale_oauth_ HRKU- dp.pt. dp.st. hvs. hvb. hvr.",
    atLeast(32),
  ),
  of("payments", "sq0atp- sq0csp- FLWSECK- shippo_live_ duffel_live_"),
  of("content", "CFPAT- tfp_ rdme_", atLeast(40, dotted)),
  of("cloud-key-id", "LTAI AKID", `${word}{16,48}(?![A-Za-z0-9])`),
  of("age", "AGE-SECRET-KEY-1", atLeast(50, "[A-Z0-9]")),
  of("mailgun", "key-", `${hex}{32}(?![A-Za-z0-9])`),
  of("airtable", "pat", `${word}{14}\\.${hex}{64}`),
  of("mapbox", "sk.eyJ", `${token}{16,512}\\.${token}{16,256}`),
  of("discord", "api/webhooks/", `\\d{15,22}/${token}{40,128}`),
  of(
    "jwt",
    "eyJ",
    `${token}{8,1024}\\.${token}{8,16384}\\.${token}{16,1024}(?:\\.${token}{0,16384}){0,2}`,
  ),
  {
    ...of(
      "twilio",
      [..."0123456789abcdef"].map((digit) => `SK${digit}`).join(" "),
      `${hex}{31}(?![A-Za-z0-9])`,
    ),
    isRandom: true,
  },
];
