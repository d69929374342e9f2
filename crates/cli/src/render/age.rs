pub(crate) use skein_model::relative_time::{long, short};
