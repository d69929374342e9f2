//! Every rule, in one table.

use super::shape::{Chars, Shape};

/// A kind of secret.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The name that stands where the secret was.
    pub name: &'static str,
    /// What it starts with.
    pub start: &'static str,
    /// How it goes on.
    pub shape: Shape,
    /// A secret of this kind that nobody ever used, in two parts.
    pub example: [&'static str; 2],
}

const fn token(
    name: &'static str,
    start: &'static str,
    chars: Chars,
    min: usize,
    example: &'static str,
) -> Rule {
    Rule { name, start, shape: Shape::Token(chars, min), example: [start, example] }
}

const fn named(start: &'static str) -> Rule {
    Rule { name: "assignment", start, shape: Shape::Assignment, example: [start, "=x7Kq29LmPz"] }
}

/// The rules; where two start alike, the longer start is tried.
pub const RULES: &[Rule] = &[
    token("age", "AGE-SECRET-KEY-1", Chars::Upper, 20, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
    token("airtable", "pat.", Chars::Word, 40, "0123456789abcdef0123456789abcdef01234567"),
    token("anthropic", "sk-ant-", Chars::Word, 20, "api03-abcdefghijklmnop1234"),
    token("aws-access-key", "AKIA", Chars::Upper, 16, "ABCDEFGH23456789"),
    token("aws-session-key", "ASIA", Chars::Upper, 16, "ABCDEFGH23456789"),
    Rule {
        name: "azure-account-key",
        start: "AccountKey=",
        shape: Shape::After(Chars::Base64, 40),
        example: ["AccountKey=", "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH=="],
    },
    Rule {
        name: "basic-auth",
        start: "Authorization: Basic ",
        shape: Shape::After(Chars::Base64, 12),
        example: ["Authorization: Basic ", "dXNlcjpwYXNzd29yZA=="],
    },
    Rule {
        name: "bearer",
        start: "Bearer ",
        shape: Shape::After(Chars::Base64, 16),
        example: ["Bearer ", "abcdefghij0123456789"],
    },
    token("databricks", "dapi", Chars::Hex, 32, "0123456789abcdef0123456789abcdef"),
    token("digitalocean", "dop_v1_", Chars::Hex, 32, "0123456789abcdef0123456789abcdef"),
    Rule {
        name: "discord-webhook",
        start: "discord.com/api/webhooks/",
        shape: Shape::After(Chars::Base64, 20),
        example: ["discord.com/api/webhooks/", "123456789012345678/abcdefghij"],
    },
    token("doppler", "dp.pt.", Chars::Alnum, 40, "abcdefghijklmnopqrst0123456789ABCDEFGHIJKLM"),
    token("fly", "FlyV1 fm2_", Chars::Base64, 20, "abcdefghij0123456789abcd"),
    token("github-app", "ghs_", Chars::Alnum, 30, "abcdefghijklmnopqrst0123456789abcdef"),
    token(
        "github-fine-grained",
        "github_pat_",
        Chars::Word,
        30,
        "abcdefghijklmnopqrst0123456789abcdef",
    ),
    token("github-oauth", "gho_", Chars::Alnum, 30, "abcdefghijklmnopqrst0123456789abcdef"),
    token("github-refresh", "ghr_", Chars::Alnum, 30, "abcdefghijklmnopqrst0123456789abcdef"),
    token("github-token", "ghp_", Chars::Alnum, 30, "abcdefghijklmnopqrst0123456789abcdef"),
    token("github-user", "ghu_", Chars::Alnum, 30, "abcdefghijklmnopqrst0123456789abcdef"),
    token("gitlab", "glpat-", Chars::Word, 20, "abcdefghij0123456789"),
    token("google-api-key", "AIza", Chars::Word, 35, "abcdefghijklmnopqrstuvwxyz0123456789"),
    token("google-client-secret", "GOCSPX-", Chars::Word, 20, "abcdefghijklmnop0123456789AB"),
    token("google-oauth", "ya29.", Chars::Base64, 20, "abcdefghijklmnop0123456789AB"),
    token("grafana", "glsa_", Chars::Word, 30, "abcdefghijklmnopqrst0123456789ab_0123abcd"),
    token("groq", "gsk_", Chars::Alnum, 40, "abcdefghijklmnopqrst0123456789ABCDEFGHIJKLMNOP"),
    token("huggingface", "hf_", Chars::Alnum, 30, "abcdefghijklmnopqrstuvwxyz01234567"),
    Rule {
        name: "jwt",
        start: "eyJ",
        shape: Shape::Jwt,
        example: ["eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxIn0.abcdefgh12"],
    },
    token("linear", "lin_api_", Chars::Alnum, 30, "abcdefghijklmnopqrst0123456789ABCDEFGHIJ"),
    token("mailgun", "key-", Chars::Hex, 32, "0123456789abcdef0123456789abcdef"),
    token("notion", "ntn_", Chars::Alnum, 40, "abcdefghijklmnopqrst0123456789ABCDEFGHIJKLMN"),
    token("npm", "npm_", Chars::Alnum, 36, "abcdefghijklmnopqrstuvwxyz0123456789"),
    token("openai", "sk-", Chars::Alnum, 32, "abcdefghijklmnopqrst0123456789ABCDEFGHIJKLMNOPQR"),
    token(
        "openai-project",
        "sk-proj-",
        Chars::Word,
        32,
        "abcdefghijklmnopqrst0123456789ABCDEFGHIJ",
    ),
    token("openrouter", "sk-or-v1-", Chars::Hex, 32, "0123456789abcdef0123456789abcdef01234567"),
    token("perplexity", "pplx-", Chars::Alnum, 32, "abcdefghijklmnopqrst0123456789ABCDEFGHIJ"),
    token(
        "planetscale",
        "pscale_tkn_",
        Chars::Base64,
        30,
        "abcdefghijklmnopqrst0123456789ABCDEFGHIJ",
    ),
    token("postman", "PMAK-", Chars::Word, 30, "0123456789abcdef01234567-0123456789abcdef"),
    Rule {
        name: "private-key",
        start: "-----BEGIN ",
        shape: Shape::Pem,
        example: ["-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n", "-----END RSA PRIVATE KEY-----"],
    },
    token("pulumi", "pul-", Chars::Hex, 40, "0123456789abcdef0123456789abcdef01234567"),
    token(
        "pypi",
        "pypi-",
        Chars::Word,
        50,
        "AgEIcHlwaS5vcmcabcdefghijklmnopqrst0123456789ABCDEFGHIJ",
    ),
    token(
        "sendgrid",
        "SG.",
        Chars::Base64,
        40,
        "abcdefghijklmnop.qrst0123456789ABCDEFGHIJKLMNOPQRSTUVW",
    ),
    token("sentry", "sntrys_", Chars::Base64, 40, "abcdefghijklmnopqrst0123456789ABCDEFGHIJKLMN"),
    token("shopify", "shpat_", Chars::Hex, 32, "0123456789abcdef0123456789abcdef"),
    token("slack-app", "xapp-", Chars::Word, 20, "1-ABCDEFGHI-0123456789-abcdef"),
    token("slack-bot", "xoxb-", Chars::Word, 20, "0123456789-abcdefghijkl"),
    token("slack-user", "xoxp-", Chars::Word, 20, "0123456789-abcdefghijkl"),
    Rule {
        name: "slack-webhook",
        start: "hooks.slack.com/services/",
        shape: Shape::After(Chars::Base64, 20),
        example: ["hooks.slack.com/services/", "T00000000/B00000000/abcdefghijkl"],
    },
    token("square", "sq0atp-", Chars::Word, 20, "abcdefghij0123456789AB"),
    token("stripe", "sk_live_", Chars::Alnum, 20, "abcdefghij0123456789ABCD"),
    token("stripe-restricted", "rk_live_", Chars::Alnum, 20, "abcdefghij0123456789ABCD"),
    token("stripe-test", "sk_test_", Chars::Alnum, 20, "abcdefghij0123456789ABCD"),
    token("stripe-webhook", "whsec_", Chars::Base64, 24, "abcdefghij0123456789ABCDEFGH"),
    token("supabase", "sbp_", Chars::Hex, 32, "0123456789abcdef0123456789abcdef01234567"),
    token("twilio", "SK", Chars::Hex, 32, "0123456789abcdef0123456789abcdef"),
    Rule {
        name: "url",
        start: "://",
        shape: Shape::Userinfo,
        example: ["https://user:pass", "word@host.example/"],
    },
    token("vault", "hvs.", Chars::Word, 24, "abcdefghijklmnop0123456789AB"),
    named("access_key"),
    named("accesskey"),
    named("api-key"),
    named("api_key"),
    named("apikey"),
    named("client_secret"),
    named("credential"),
    named("passphrase"),
    named("passwd"),
    named("password"),
    named("private_key"),
    named("pwd"),
    named("secret"),
    named("token"),
];
