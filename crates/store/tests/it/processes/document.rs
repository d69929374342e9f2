use skein_store::Revision;

/// Lines of text that end with their checksum, so that a torn read is detected.
#[derive(Default)]
pub(crate) struct Document {
    pub(crate) lines: Vec<String>,
}

impl Document {
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (body, checksum) = text.rsplit_once("# ")?;
        (checksum == Revision::from_bytes(body.as_bytes()).to_string())
            .then(|| Self { lines: body.lines().map(str::to_owned).collect() })
    }

    /// Adds a line unless it is already present.
    pub(crate) fn add(&mut self, line: &str) {
        if !self.lines.iter().any(|theirs| theirs == line) {
            self.lines.push(line.to_owned());
        }
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let body: String = self.lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        format!("{body}# {}", Revision::from_bytes(body.as_bytes())).into_bytes()
    }
}
