/// The password of a server. It is sent in a header, and never shown.
#[derive(Clone)]
pub struct Password(String);

impl Password {
    /// Wraps a password.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(..)")
    }
}

#[test]
fn the_password_is_not_shown() {
    assert_eq!(format!("{:?}", Some(Password::new("hunter2"))), "Some(Password(..))");
}
