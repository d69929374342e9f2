pub(crate) use skein_engine::age::{long, short};
