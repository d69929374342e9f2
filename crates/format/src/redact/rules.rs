//! The kinds of secrets.

use super::judge::is_uuid;

/// A kind of secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name that replaces the secret.
    pub name: &'static str,
    /// The text that the automaton searches for; for [`Shape::Name`] in lower case.
    pub start: &'static str,
    /// What must follow the start.
    pub shape: Shape,
}

impl Rule {
    /// Returns an example with a made-up secret of this kind.
    pub fn example(&self) -> String {
        let start = self.start;
        match self.shape {
            Shape::Token(chars, min) | Shape::Mixed(chars, min) | Shape::After(chars, min) => {
                format!("{start}{}", chars.example(min))
            }
            Shape::Parts(parts) => {
                parts.iter().fold(start.to_owned(), |text, part| text + &part.example())
            }
            Shape::Around(before, len, after, min) => {
                format!("{}{start}{}", before.example(len), after.example(min))
            }
            Shape::Prefixed => format!("acme{start}{}", Chars::Alnum.example(24)),
            Shape::Jwt => format!("{start}hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefgh12"),
            Shape::Pem => {
                format!("{start}RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----")
            }
            Shape::Userinfo => format!("https{start}user:password@host.example/"),
            Shape::Name(Name::Key) => format!("api_{start}=x7Kq29LmPz"),
            Shape::Name(Name::Pat | Name::Service) => {
                format!("{start}={}", Chars::Alnum.example(40))
            }
            Shape::Name(_) => format!("{start}=x7Kq29LmPz"),
            Shape::Authorization => format!("{start}: token x7Kq29LmPzQ4"),
            Shape::BasicValue => format!("\"{start}\": \"dXNlcjpwYXNzd29yZA==\""),
            Shape::Basic => format!("{start}dXNlcjpwYXNzd29yZA=="),
            Shape::Bearer => format!("{start}abcdefghij0123456789"),
            Shape::Cookie => format!("{start}sid={}", Chars::Alnum.example(24)),
            Shape::Flag(Flag::User) => format!("curl{start} admin:x7Kq29LmPz"),
            Shape::Flag(Flag::Password) => format!("sshpass{start} x7Kq29LmPz"),
            Shape::Flag(Flag::Redis) => format!("redis-cli{start}x7Kq29LmPz"),
        }
    }
}

/// The kind of value that a name indicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// A password that a person may have chosen.
    Password,
    /// `pass` or `pwd`, which are also parts of other words.
    Short,
    /// `credential`, `secret` or `token`, which often mean something else in code.
    Token,
    /// `key`, which indicates a secret only in some names, such as `api_key`.
    Key,
    /// `PAT`, a personal access token; in lower case it begins too many other words.
    Pat,
    /// The name of a service whose tokens have no prefix, so that only a long random value is a secret.
    Service,
}

/// An option of certain commands whose value is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// `user:password`.
    User,
    /// A password, perhaps without a space before it.
    Password,
    /// The password of `redis-cli`.
    Redis,
}

/// A row of a table: one rule for each of its starts.
pub(super) struct RuleRow {
    pub(super) name: &'static str,
    /// The starts, separated by `|`.
    pub(super) starts: &'static str,
    pub(super) shape: Shape,
}

impl RuleRow {
    pub(super) fn rules(&self) -> impl Iterator<Item = Rule> + Clone {
        self.starts.split('|').map(|start| Rule { name: self.name, start, shape: self.shape })
    }
}

const fn structure(name: &'static str, starts: &'static str, shape: Shape) -> RuleRow {
    RuleRow { name, starts, shape }
}

const fn named(starts: &'static str, name: Name) -> RuleRow {
    RuleRow { name: "assignment", starts, shape: Shape::Name(name) }
}

/// The characters of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chars {
    /// Decimal digits.
    Digit,
    /// Hexadecimal digits.
    Hex,
    /// Letters and digits.
    Alnum,
    /// Capital letters and digits.
    Upper,
    /// Capital letters, digits and `-`.
    UpperDash,
    /// Letters, digits, `_` and `-`.
    Word,
    /// [`Chars::Word`] and `.`.
    Dotted,
    /// [`Chars::Dotted`] and `~`.
    Tilde,
    /// [`Chars::Tilde`], `+`, `/` and `=`.
    Base64,
    /// [`Chars::Base64`] and `%`, as in the query of an address.
    Query,
    /// [`Chars::Query`] and `@`.
    UrlPath,
    /// Lines of base64.
    Lines,
    /// The characters of a hashed password with its parameters.
    Crypt,
}

impl Chars {
    pub(super) fn has(self, byte: u8) -> bool {
        let more: &[u8] = match self {
            Self::Digit => return byte.is_ascii_digit(),
            Self::Hex => return byte.is_ascii_hexdigit(),
            Self::Upper | Self::UpperDash if byte.is_ascii_lowercase() => return false,
            Self::Alnum | Self::Upper => b"",
            Self::UpperDash => b"-",
            Self::Word => b"_-",
            Self::Dotted => b"_-.",
            Self::Tilde => b"_-.~",
            Self::Base64 => b"_-.~+/=",
            Self::Query => b"_-.~+/=%",
            Self::UrlPath => b"_-.~+/=%@",
            Self::Lines => b"+/=\r\n",
            Self::Crypt => b"./$=,+-_",
        };
        byte.is_ascii_alphanumeric() || more.contains(&byte)
    }

    /// Returns the end of the run of such characters that begins at `from`.
    pub(super) fn run(self, bytes: &[u8], from: usize) -> usize {
        let rest = bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| self.has(**byte)).count()
    }

    /// Returns the start of the run of such characters that ends at `to`; it is not longer than `max`.
    pub(super) fn run_back(self, bytes: &[u8], to: usize, max: usize) -> usize {
        let before = bytes.get(..to).unwrap_or_default();
        to - before.iter().rev().take(max).take_while(|byte| self.has(**byte)).count()
    }

    pub(super) fn example(self, len: usize) -> String {
        let chars: &str = match self {
            Self::Digit => "7305918264",
            Self::Hex => "3f9a07c5e1d8b264",
            Self::Upper | Self::UpperDash => "K7QX3ZP9WB5TJ2",
            _ => "k7Qx3Zp9Wb5Tj2Rv8",
        };
        chars.chars().cycle().take(len).collect()
    }
}

/// A part of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// At least this number of characters.
    Run(Chars, usize),
    /// Exactly this number of characters.
    Exact(Chars, usize),
    /// This text.
    Lit(&'static str),
    /// A UUID.
    Uuid,
}

impl Part {
    /// Returns the end of the part that begins at `from`.
    pub(super) fn end(self, bytes: &[u8], from: usize) -> Option<usize> {
        let rest = bytes.get(from..)?;
        match self {
            Self::Run(chars, min) => {
                let end = chars.run(bytes, from);
                (end - from >= min).then_some(end)
            }
            Self::Exact(chars, len) => {
                let is_all = rest.get(..len)?.iter().all(|byte| chars.has(*byte));
                is_all.then_some(from + len)
            }
            Self::Lit(text) => rest.starts_with(text.as_bytes()).then_some(from + text.len()),
            Self::Uuid => is_uuid(rest.get(..36)?).then_some(from + 36),
        }
    }

    pub(super) fn example(self) -> String {
        match self {
            Self::Run(chars, len) | Self::Exact(chars, len) => chars.example(len),
            Self::Lit(text) => text.to_owned(),
            Self::Uuid => "3f2504e0-4f89-41d3-9a0c-0305e82c3301".to_owned(),
        }
    }
}

/// What must follow the start, and which part is the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// At least this number of characters; the start is part of the secret.
    Token(Chars, usize),
    /// Like `Token`, for a start that also occurs in other texts: what follows must not look like words.
    Mixed(Chars, usize),
    /// Several parts; the start is part of the secret.
    Parts(&'static [Part]),
    /// At least these numbers of characters before and after the start; all of it is the secret.
    Around(Chars, usize, Chars, usize),
    /// At least this number of characters; the start is not part of the secret.
    After(Chars, usize),
    /// A short word before the start and random characters after it.
    Prefixed,
    /// Parts separated by dots.
    Jwt,
    /// A key up to its end line.
    Pem,
    /// Credentials before a host.
    Userinfo,
    /// A name followed by its value.
    Name(Name),
    /// A header with a scheme and credentials.
    Authorization,
    /// A name whose value is `user:password` in base64.
    BasicValue,
    /// A scheme, and `user:password` in base64.
    Basic,
    /// A scheme, and a token.
    Bearer,
    /// A header with values, some of which may be secrets.
    Cookie,
    /// An option of a command.
    Flag(Flag),
}

/// Rules that recognise a secret by the text around it.
pub(super) const STRUCTURES: &[RuleRow] = &[
    structure("azure-account-key", "AccountKey=", Shape::After(Chars::Base64, 40)),
    structure("azure-sas", "&sig=|?sig=", Shape::After(Chars::Query, 20)),
    structure("aws-signature", "X-Amz-Signature=", Shape::After(Chars::Hex, 32)),
    structure("aws-signature", "Signature=", Shape::After(Chars::Query, 32)),
    structure("basic-auth", "Basic ", Shape::Basic),
    structure("basic-auth", "auth", Shape::BasicValue),
    structure("authorization", "authorization", Shape::Authorization),
    structure("bearer", "bearer ", Shape::Bearer),
    structure("cookie", "Cookie: |cookie: ", Shape::Cookie),
    structure("command", " -u| --user| --proxy-user", Shape::Flag(Flag::User)),
    structure("command", " -p", Shape::Flag(Flag::Password)),
    structure("command", " -a ", Shape::Flag(Flag::Redis)),
    structure("jwt", "eyJ", Shape::Jwt),
    structure("private-key", "-----BEGIN ", Shape::Pem),
    structure(
        "private-key",
        "Private-Lines: ",
        Shape::Parts(&[Part::Run(Chars::Digit, 1), Part::Lit("\n"), Part::Run(Chars::Lines, 40)]),
    ),
    structure(
        "private-key",
        "LS0tLS1CRUdJTiBQUklWQVRF|LS0tLS1CRUdJTiBSU0Eg|LS0tLS1CRUdJTiBFQyBQUk|LS0tLS1CRUdJTiBPUEVOU1NI|LS0tLS1CRUdJTiBFTkNSWVBU",
        Shape::Token(Chars::Base64, 40),
    ),
    structure(
        "prefixed",
        "_live_|_test_|_prod_|_pat_|_sk_|_api_|_key_|_token_|_secret_",
        Shape::Prefixed,
    ),
    structure(
        "password-hash",
        "$1$|$2a$|$2b$|$2x$|$2y$|$5$|$6$|$7$|$apr1$|$gy$|$y$|$argon2d$|$argon2i$|$argon2id$|$pbkdf2|$scrypt$",
        Shape::Token(Chars::Crypt, 20),
    ),
    structure(
        "password-hash",
        "pbkdf2_sha1$|pbkdf2_sha256$|{CRYPT}|{SHA}|{SSHA}|{SSHA256}|{SSHA512}",
        Shape::Token(Chars::Crypt, 20),
    ),
    structure("url", "://", Shape::Userinfo),
    structure("url", "?code=|&code=", Shape::After(Chars::Query, 40)),
    named("credential|secret|token", Name::Token),
    named("key", Name::Key),
    named("PAT", Name::Pat),
    named("asana|mailgun|postmark|sparkpost|trello", Name::Service),
    named("pass|pw|pwd", Name::Short),
    named("kennwort|passcode|passphrase|passwd|password|passwort", Name::Password),
];
