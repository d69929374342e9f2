/// What can be chosen from a row of links above a list.
pub(super) struct Choice {
    pub(super) name: &'static str,
    pub(super) href: String,
    /// Whether it is chosen.
    pub(super) on: bool,
    /// How many it has.
    pub(super) count: usize,
}
