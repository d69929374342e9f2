//! The kinds of secrets.

use super::services::SERVICES;
use super::shape::{Chars, Part, Shape};

/// A kind of secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name that replaces the secret.
    pub name: &'static str,
    /// The text that the automaton searches for; for [`Shape::Name`] in lower case.
    pub start: &'static str,
    /// What has to follow.
    pub shape: Shape,
}

impl Rule {
    /// Returns a text with a secret of this kind, which never gave access to anything.
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

/// What a name says about the value behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// A password that a person may have chosen.
    Password,
    /// `pass` or `pwd`, which are also parts of other words.
    Short,
    /// A word that is often the name of something else in code.
    Token,
    /// `key`, which says something only behind words such as `api`.
    Key,
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

const fn structure(name: &'static str, start: &'static str, shape: Shape) -> Rule {
    Rule { name, start, shape }
}

const fn named(start: &'static str, name: Name) -> Rule {
    Rule { name: "assignment", start, shape: Shape::Name(name) }
}

/// Secrets that are known by what is around them.
const STRUCTURES: &[Rule] = &[
    structure("azure-account-key", "AccountKey=", Shape::After(Chars::Base64, 40)),
    structure("azure-sas", "&sig=", Shape::After(Chars::Query, 20)),
    structure("azure-sas", "?sig=", Shape::After(Chars::Query, 20)),
    structure("aws-signature", "X-Amz-Signature=", Shape::After(Chars::Hex, 32)),
    structure("aws-signature", "Signature=", Shape::After(Chars::Query, 32)),
    structure("basic-auth", "Basic ", Shape::Basic),
    structure("basic-auth", "auth", Shape::BasicValue),
    structure("authorization", "authorization", Shape::Authorization),
    structure("bearer", "bearer ", Shape::Bearer),
    structure("cookie", "Cookie: ", Shape::Cookie),
    structure("cookie", "cookie: ", Shape::Cookie),
    structure("command", " -u", Shape::Flag(Flag::User)),
    structure("command", " --user", Shape::Flag(Flag::User)),
    structure("command", " --proxy-user", Shape::Flag(Flag::User)),
    structure("command", " -p", Shape::Flag(Flag::Password)),
    structure("command", " -a ", Shape::Flag(Flag::Redis)),
    structure("jwt", "eyJ", Shape::Jwt),
    structure("private-key", "-----BEGIN ", Shape::Pem),
    structure(
        "private-key",
        "Private-Lines: ",
        Shape::Parts(&[Part::Run(Chars::Digit, 1), Part::Lit("\n"), Part::Run(Chars::Lines, 40)]),
    ),
    structure("private-key", "LS0tLS1CRUdJTiBQUklWQVRF", Shape::Token(Chars::Base64, 40)),
    structure("private-key", "LS0tLS1CRUdJTiBSU0Eg", Shape::Token(Chars::Base64, 40)),
    structure("private-key", "LS0tLS1CRUdJTiBFQyBQUk", Shape::Token(Chars::Base64, 40)),
    structure("private-key", "LS0tLS1CRUdJTiBPUEVOU1NI", Shape::Token(Chars::Base64, 40)),
    structure("private-key", "LS0tLS1CRUdJTiBFTkNSWVBU", Shape::Token(Chars::Base64, 40)),
    structure("prefixed", "_live_", Shape::Prefixed),
    structure("prefixed", "_test_", Shape::Prefixed),
    structure("prefixed", "_prod_", Shape::Prefixed),
    structure("prefixed", "_pat_", Shape::Prefixed),
    structure("prefixed", "_sk_", Shape::Prefixed),
    structure("prefixed", "_api_", Shape::Prefixed),
    structure("prefixed", "_key_", Shape::Prefixed),
    structure("prefixed", "_token_", Shape::Prefixed),
    structure("prefixed", "_secret_", Shape::Prefixed),
    structure("url", "://", Shape::Userinfo),
    named("credential", Name::Token),
    named("key", Name::Key),
    named("pass", Name::Short),
    named("passcode", Name::Password),
    named("passphrase", Name::Password),
    named("passwd", Name::Password),
    named("password", Name::Password),
    named("pwd", Name::Short),
    named("secret", Name::Token),
    named("token", Name::Token),
];

/// Returns every rule.
pub fn rules() -> impl Iterator<Item = &'static Rule> + Clone {
    STRUCTURES.iter().chain(SERVICES)
}
